"""Annotations of GitHub Actions: lines that the runner shows beside the code.

``::error file=train.py,line=12,title=CA101 last-batch::message``. GitHub shows the first ten
of each level for a step, so what fails comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ca_reports.output import advice
from ca_reports.output.format import Format
from ca_reports.words.clean import clean

if TYPE_CHECKING:
    from ca_reports.gates.gate import Check
    from ca_reports.output.reported import Report, Reported

Level = Literal["error", "warning", "notice"]
_LEVELS: dict[str, Level] = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """Return one line for each exceeded budget and each finding, and the outcome as plain text."""
    lines = [_budget(check, report) for check in report.exceeded]
    if report.inconclusive_reason is not None:
        lines.append(
            command("error", report.inconclusive_reason, title=report.command, file=report.script)
        )
    lines += [_finding(found, report) for found in report.shown if found.standing != "known"]
    return "".join(f"{line}\n" for line in (*lines, f"{report.command}: {report.headline}"))


def command(
    level: Level, message: str, *, title: str, file: str | None = None, line: int = 0
) -> str:
    """Return one workflow command, with everything in it escaped."""
    properties = []
    if file:
        properties.append(f"file={_property(file)}")
        if line > 0:
            properties.append(f"line={line}")
    properties.append(f"title={_property(title)}")
    return f"::{level} {','.join(properties)}::{_data(message)}"


def _finding(found: Reported, report: Report) -> str:
    finding = found.finding
    judged = report.ok is not None
    level = _LEVELS[finding.severity]
    if judged:
        # Red is for what ends the command with 1.
        level = "error" if found.fails else "notice" if level == "notice" else "warning"
    parts = [
        finding.message,
        advice.cost(finding, report.analysis.run),
        advice.fix_line(finding),
    ]
    return command(
        level,
        "\n".join(part for part in parts if part),
        title=found.title,
        file=found.file,
        line=found.found.line,
    )


def _budget(check: Check, report: Report) -> str:
    message = check.sentence() + (f" ({check.codes})" if check.codes else "")
    places = {id(found.found): found.file for found in report.findings}
    for one in check.behind:
        if file := places.get(id(one)):
            return command("error", message, title=check.kind.key, file=file, line=one.line)
    return command("error", message, title=check.kind.key, file=report.script)


def _data(text: str) -> str:
    return clean(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = Format(
    name="github",
    suffix=".txt",
    help="annotations of GitHub Actions",
    report=render,
    comment=("# ", ""),
)
