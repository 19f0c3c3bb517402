"""Patches as fixes of SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from ca_reports.patching.patches import applied
from tests.unit.reports.output.fixed import FIRST, SECOND, TEXT, shown

SCHEMA = Path(__file__).parents[3] / "fixtures" / "schemas" / "sarif-2.1.0.json"


def applied_by_sarif(text: str, fix: dict[str, Any]) -> str:
    """``text`` with the replacements of the one file that ``fix`` changes."""
    (change,) = fix["artifactChanges"]
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for one in reversed(change["replacements"]):
        region = one["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        text = text[:start] + one["insertedContent"]["text"] + text[end:]
    return text


def test_sarif_has_fixes_that_make_the_same_text() -> None:
    document = json.loads(shown("sarif"))
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    first, second, left = document["runs"][0]["results"]
    assert [applied_by_sarif(TEXT, fix) for fix in first["fixes"]] == [
        applied({"a/b.py": TEXT}, [patch])["a/b.py"] for patch in (FIRST, SECOND)
    ]
    assert first["fixes"][0]["description"]["text"] == "two is 2"
    assert second["fixes"][0]["description"]["text"] == "more; by design, it adds"
    assert "fixes" not in left
    artifact = first["fixes"][0]["artifactChanges"][0]["artifactLocation"]
    assert artifact == {"uri": "a/b.py", "uriBaseId": "%SRCROOT%"}
