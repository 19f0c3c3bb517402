"""``ca fix --format sarif``: findings with SARIF 2.1.0 ``fixes``, which editors offer to apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.version import __version__
from ca_reports.causes.rules import all_rules
from ca_reports.output import advice
from ca_reports.output.formats import sarif
from ca_reports.patching.patches import standing
from ca_reports.words.clean import clean, json_text

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Patch, Replacement
    from ca_reports.patching.result import Fix, Fixes


def render(fixes: Fixes) -> str:
    """Return one run."""
    return json_text(document(fixes))


def document(fixes: Fixes) -> dict[str, Any]:
    """Return the object itself: a result for each finding, with its patch and the alternatives."""
    codes = {one.finding.code for one in fixes.offered}
    codes |= {one.finding.code for one in fixes.refused}
    rules = [sarif.rule_document(rule) for rule in all_rules() if rule.code in codes]
    index = {rule["id"]: position for position, rule in enumerate(rules)}
    results = [_result(one.finding, index, fixes, one) for one in fixes.offered]
    results += [_result(one.finding, index, fixes, None) for one in fixes.refused]
    run = {
        "tool": {"driver": {"name": "ca", "version": __version__, "rules": rules}},
        "originalUriBaseIds": {
            sarif.ROOT: {"description": {"text": "The root of the repository."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": sarif.SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(
    finding: Finding, index: dict[str, int], fixes: Fixes, fix: Fix | None
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": sarif.LEVELS[finding.severity],
        "message": {"text": clean(f"{finding.message}\n{advice.fix_line(finding)}")},
    }
    if finding.location is not None and not finding.location.file.startswith("<"):
        path = fixes.path(finding.location.file)
        result["locations"] = [sarif.location(path, finding.location.line, "")]
    if fix is not None:
        every = (fix.patch, *(other.patch for other in fix.alternatives))
        result["fixes"] = [_fix(patch, fixes) for patch in every]
    return result


def _fix(patch: Patch, fixes: Fixes) -> dict[str, Any]:
    told = [patch.what, patch.intention and f"by design, it {patch.intention}", patch.note]
    changes = [
        {
            "artifactLocation": sarif.location(fixes.path(file), 0, "")["physicalLocation"][
                "artifactLocation"
            ],
            "replacements": [
                _replacement(one, fixes.texts[file])
                for one in standing([patch])
                if one.file == file
            ],
        }
        for file in patch.files
    ]
    text = clean("; ".join(part for part in told if part))
    return {"description": {"text": text}, "artifactChanges": changes}


def _replacement(one: Replacement, text: str) -> dict[str, Any]:
    first_line, first_column = _position(text, one.start)
    last_line, last_column = _position(text, one.end)
    return {
        "deletedRegion": {
            "startLine": first_line,
            "startColumn": first_column,
            "endLine": last_line,
            "endColumn": last_column,
        },
        "insertedContent": {"text": one.text},
    }


def _position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, one-based."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
