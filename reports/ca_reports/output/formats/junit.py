"""JUnit XML, as GitLab, Jenkins and others show it: a test for each budget and each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ca_reports.output import advice
from ca_reports.output.format import Format
from ca_reports.sentences.places import at_line
from ca_reports.words.clean import clean

if TYPE_CHECKING:
    from ca_reports.gates.gate import Check
    from ca_reports.output.reported import Report, Reported


def render(report: Report) -> str:
    """Write a suite. A finding of ``ca explain-recompiles`` fails a test, unless it is info."""
    suite = ElementTree.Element("testsuite", name=report.command)
    for check in (*report.exceeded, *report.held):
        _budget(suite, check)
    if report.inconclusive_reason is not None:
        case = ElementTree.SubElement(suite, "testcase", classname="ca", name="judged")
        ElementTree.SubElement(case, "error", message=clean(report.inconclusive_reason))
    for found in report.findings:
        _finding(suite, found, report)
    if len(suite) == 0:
        # A suite without tests counts as an error in most viewers.
        ElementTree.SubElement(suite, "testcase", classname="ca", name="no finding")
    root = ElementTree.Element("testsuites", name="ca")
    root.append(suite)
    for element in (root, suite):
        element.set("tests", str(len(suite)))
        element.set("failures", str(len(suite.findall("testcase/failure"))))
        element.set("errors", str(len(suite.findall("testcase/error"))))
        element.set("skipped", str(len(suite.findall("testcase/skipped"))))
    output = ElementTree.SubElement(suite, "system-out")
    output.text = clean("\n".join((report.headline, report.totals, *report.notes)))
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _budget(suite: ElementTree.Element, check: Check) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname="ca.budget", name=check.kind.key)
    if not check.ok:
        message = clean(check.sentence())
        failure = ElementTree.SubElement(case, "failure", type=check.kind.key, message=message)
        failure.text = clean(
            "\n".join(
                [message, *(f"{one.finding.code} {one.finding.message}" for one in check.behind)]
            )
        )


def _finding(suite: ElementTree.Element, found: Reported, report: Report) -> None:
    finding = found.finding
    judged = report.ok is not None
    where = at_line(found.found.file, found.found.line)
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=clean(f"ca.{finding.code}"),
        name=clean(f"{finding.name}: {finding.message}"),
    )
    if found.file:
        case.set("file", clean(found.file))
        case.set("line", str(found.found.line))
    failure = finding.failure
    if failure is not None:
        properties = ElementTree.SubElement(case, "properties")
        told = {"stage": failure.stage, "outcome": failure.outcome, "exception": failure.type}
        for name, value in told.items():
            ElementTree.SubElement(
                properties, "property", name=f"ca.failure.{name}", value=clean(value)
            )
    cost = advice.cost(finding, report.analysis.run)
    text = clean(
        "\n".join(
            part
            for part in (
                where,
                finding.message,
                cost,
                advice.fix_line(finding),
            )
            if part
        )
    )
    fails = found.fails if judged else finding.severity != "info" and found.standing != "silenced"
    if fails:
        failed = ElementTree.SubElement(case, "failure", type=finding.code)
        failed.set("message", clean(finding.message))
        failed.text = text
    elif found.standing in ("known", "silenced"):
        why = "in the baseline" if found.standing == "known" else "silenced in the source"
        ElementTree.SubElement(case, "skipped", message=why)
    else:
        ElementTree.SubElement(case, "system-out").text = text


FORMAT = Format(
    name="junit",
    suffix=".xml",
    help="JUnit XML, for GitLab and Jenkins",
    report=render,
)
