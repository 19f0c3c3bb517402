"""The patches of a run in each format."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ca_reports.findings import Finding
from ca_reports.fixes.patches import Patch, Proposal, RefusedError, Replacement, applied
from ca_reports.fixes.result import Fix, Fixes
from ca_reports.places import Places
from ca_reports.render import formats
from ca_reports.rules import find_rule

RULE = find_rule("CA101")
assert RULE is not None
FINDING = Finding(RULE.about(), "warning", "it\nshrank", "drop it", seconds=2.0)
TEXT = "one\ntwo\nthree\n\n\n\n\nfour\r\nfive"
FIRST = Patch("two is 2", (Replacement("a/b.py", 4, 7, "2"),))
# In a line without an end, after one that the first patch makes shorter.
SECOND = Patch("more", (Replacement("a/b.py", len(TEXT), len(TEXT), "!"),), intention="adds")
FIXES = Fixes(
    {"a/b.py": TEXT},
    offered=(Fix(FINDING, FIRST, alternatives=(Fix(FINDING, SECOND),)), Fix(FINDING, SECOND)),
    refused=(Proposal(FINDING, refusal="two calls"),),
)


def shown(name: str, fixes: Fixes = FIXES) -> str:
    found = formats.find(name, "fixes")
    assert found is not None
    return found.text("fixes", fixes)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_diff_is_what_git_applies(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").write_bytes(TEXT.encode())
    diff = shown("diff")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    expected = "one\n2\nthree\n\n\n\n\nfour\r\nfive!"
    assert (tmp_path / "a/b.py").read_bytes().decode() == expected
    assert diff.startswith(
        "# CA101 (last-batch): it shrank\n# two is 2\n"
        "# expected to save 2.0 s; --verify measures it\n# alternative: more\n--- a/a/b.py\n"
    )


def test_json_has_every_patch(tmp_path: Path) -> None:
    document = json.loads(shown("json"))
    first, second = document["fixes"]
    assert first["files"] == ["a/b.py"]
    assert first["alternatives"][0]["what"] == "more"
    assert second["intention"] == "adds"
    assert "-two\n+2\n" in first["diff"]
    assert document["refused"][0]["reason"] == "two calls"


def test_markdown_suggests_whole_lines() -> None:
    text = shown("markdown")
    assert "`a/b.py`, line 2:\n\n```suggestion\n2\n```\n" in text
    assert "`a/b.py`, line 9:\n\n```suggestion\nfive!\n```\n" in text


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


def test_a_review_suggests_the_lines_that_change(tmp_path: Path) -> None:
    places = Places(tmp_path, str(tmp_path / "src"))
    document = json.loads(shown("review", replace(FIXES, places=places)))
    assert document["event"] == "COMMENT"
    assert "two is 2" in document["body"]
    first, second = document["comments"]
    assert (first["path"], first["line"], first["side"]) == ("src/a/b.py", 2, "RIGHT")
    assert first["body"].endswith("\n\n```suggestion\n2\n```")
    assert second["line"] == 9
    assert "start_line" not in first


def test_a_review_of_several_lines_and_places() -> None:
    apart = Replacement("a/b.py", len(TEXT), len(TEXT), "!")
    both = Patch("both", (Replacement("a/b.py", 0, 7, "1\n2"), apart))
    document = json.loads(shown("review", replace(FIXES, offered=(Fix(FINDING, both),))))
    first, second = document["comments"]
    assert (first["start_line"], first["line"], first["start_side"]) == (1, 2, "RIGHT")
    assert "Part 1 of 2; they belong together." in first["body"]
    assert "Part 2 of 2" in second["body"]


def test_no_patch_is_said() -> None:
    assert shown("markdown", replace(FIXES, offered=())) == "No patch to offer.\n"
    assert shown("diff", replace(FIXES, offered=())) == ""
    assert json.loads(shown("review", replace(FIXES, offered=())))["comments"] == []


def test_patches_of_the_same_characters_are_refused() -> None:
    other = Patch("two is II", (Replacement("a/b.py", 5, 7, "I"),))
    with pytest.raises(RefusedError, match=r"the same lines of a/b\.py"):
        applied({"a/b.py": TEXT}, [FIRST, other])
