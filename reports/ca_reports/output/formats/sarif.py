"""SARIF 2.1.0, for code scanning: results with places, rules with their documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ca_engine.version import __version__
from ca_reports.causes.rules import all_rules, pages
from ca_reports.output import advice
from ca_reports.output.format import Format, later
from ca_reports.sentences.failures import in_one_line
from ca_reports.words.clean import clean, json_text
from ca_reports.words.places import is_absolute

if TYPE_CHECKING:
    from ca_reports.causes.rules.base import Rule
    from ca_reports.diagnosis.identities import Identity
    from ca_reports.gates.baseline import Entry
    from ca_reports.gates.gate import Check
    from ca_reports.output.reported import Report, Reported

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# The root of the repository; the name that GitHub's own documentation uses.
ROOT = "%SRCROOT%"
FINGERPRINT = "caFinding/v2"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_STATES = {"new": "new", "known": "unchanged"}


def render(report: Report) -> str:
    """Return one run."""
    return json_text(document(report))


def document(report: Report) -> dict[str, Any]:
    """Return the object itself."""
    codes = {found.finding.code for found in report.findings} | {gone.code for gone in report.gone}
    rules = [rule_document(rule) for rule in all_rules() if rule.code in codes]
    rules += [_budget_rule(check) for check in report.exceeded]
    index = {rule["id"]: position for position, rule in enumerate(rules)}
    compared = any(found.standing in _STATES for found in report.findings) or bool(report.gone)
    results = [_of_budget(check, report, index) for check in report.exceeded]
    results += [_of_finding(found, report, index) for found in report.findings]
    results += [_of_gone(entry, index) for entry in report.gone]
    if compared:
        # All results of a run have a state, or none has.
        for result in results:
            result.setdefault("baselineState", "new")
    run = {
        "tool": {
            "driver": {
                "name": "ca",
                "fullName": "ca, a recompilation profiler for compiled autograd",
                "version": __version__,
                "rules": rules,
            }
        },
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [
            {
                "executionSuccessful": report.inconclusive_reason is None,
                "toolExecutionNotifications": _notifications(report),
            }
        ],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _notifications(report: Report) -> list[dict[str, Any]]:
    told = [("error", report.inconclusive_reason)] if report.inconclusive_reason is not None else []
    told += [("note", note) for note in report.notes]
    return [{"level": level, "message": {"text": clean(text)}} for level, text in told]


def rule_document(rule: type[Rule]) -> dict[str, Any]:
    """Return a rule with its documentation."""
    documentation = rule.documentation()
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": documentation.summary},
        "fullDescription": {"text": documentation.sections["What it is"]},
        "help": {"text": pages.plain(rule), "markdown": pages.markdown(rule)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": ["performance" if rule.severity != "error" else "correctness"]},
    }


def _budget_rule(check: Check) -> dict[str, Any]:
    text = f"A budget of `ca check`: {check.kind.of_many} of a run."
    explained = (
        f"{text} It is exceeded by what the findings of the same run explain: change what they "
        f"name, leave some of it out (`warmup-steps`, `ignore`, a baseline), or allow more: "
        f"`--{check.kind.key}`, or `{check.kind.key}` in the settings."
    )
    return {
        "id": check.kind.key,
        "shortDescription": {"text": text},
        "help": {"text": explained.replace("`", ""), "markdown": explained},
        "defaultConfiguration": {"level": "error"},
    }


def _of_finding(found: Reported, report: Report, index: dict[str, int]) -> dict[str, Any]:
    finding = found.finding
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": "error" if found.fails else LEVELS[finding.severity],
        "message": {"text": clean(f"{finding.message}\n{advice.fix_line(finding)}")},
        "locations": _locations(found.found, found.file, report.script),
        "partialFingerprints": {FINGERPRINT: found.found.fingerprint},
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "count": finding.count,
            "seconds": finding.seconds,
            "captures": [clean(label) for label in finding.captures],
            "compileIds": [clean(label) for label in finding.compile_ids],
        },
    }
    failure = finding.failure
    if failure is not None:
        result["properties"]["failure"] = {
            "stage": failure.stage,
            "outcome": failure.outcome,
            "exception": clean(failure.type),
            "message": clean(in_one_line(failure)),
        }
    if found.standing in _STATES:
        result["baselineState"] = _STATES[found.standing]
    if found.standing == "silenced":
        result["suppressions"] = [{"kind": "inSource"}]
    return result


def _of_budget(check: Check, report: Report, index: dict[str, int]) -> dict[str, Any]:
    files = {id(found.found): found.file for found in report.findings}
    places = [_locations(one, files.get(id(one)), None) for one in check.behind]
    locations: list[dict[str, Any]] = next((found for found in places if found), [])
    return {
        "ruleId": check.kind.key,
        "ruleIndex": index[check.kind.key],
        "level": "error",
        "message": {"text": clean(check.sentence())},
        "locations": locations or _script(report.script),
    }


def _of_gone(entry: Entry, index: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": clean(entry.code),
        "level": "none",
        "kind": "notApplicable",
        "message": {"text": clean(entry.title)},
        "baselineState": "absent",
    }
    if entry.code in index:
        result["ruleIndex"] = index[entry.code]
    if entry.file:
        result["locations"] = [location(entry.file, 0, "")]
    return result


def _locations(one: Identity, file: str | None, script: str | None) -> list[dict[str, Any]]:
    """Return where a finding is; the script for one without a place, because readers want one."""
    path = file or one.file
    if not path or path.startswith("<"):
        return _script(script)
    return [location(path, one.line, one.text)]


def _script(script: str | None) -> list[dict[str, Any]]:
    return [] if script is None else [location(script, 1, "")]


def location(path: str, line: int, code: str) -> dict[str, Any]:
    """Return a line of a file, which is named below the repository or absolutely; 0: no line."""
    artifact = {"uri": _uri(path)}
    if not is_absolute(path):
        artifact["uriBaseId"] = ROOT
    place: dict[str, Any] = {"artifactLocation": artifact}
    if line > 0:
        place["region"] = {"startLine": line}
        if code:
            place["region"]["snippet"] = {"text": clean(code)}
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    quoted = quote(path, errors="replace")
    if not is_absolute(path):
        return quoted
    return (
        "file://" + quoted if path.startswith("/") else "file:///" + quoted.replace("%3A", ":", 1)
    )


FORMAT = Format(
    name="sarif",
    suffix=".sarif",
    help="SARIF 2.1.0, for code scanning",
    report=render,
    fixes=later("fixes_sarif"),
)
