"""The patches of a run in each format."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ca_reports.findings import Finding
from ca_reports.fixes.patches import Patch, Proposal, RefusedError, Replacement, applied
from ca_reports.fixes.result import Fix, Fixes
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


def test_no_patch_is_said() -> None:
    assert shown("markdown", replace(FIXES, offered=())) == "No patch to offer.\n"
    assert shown("diff", replace(FIXES, offered=())) == ""


def test_patches_of_the_same_characters_are_refused() -> None:
    other = Patch("two is II", (Replacement("a/b.py", 5, 7, "I"),))
    with pytest.raises(RefusedError, match=r"the same lines of a/b\.py"):
        applied({"a/b.py": TEXT}, [FIRST, other])
