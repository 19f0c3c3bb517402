"""Patches as a review."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from ca_reports.patching.patches import Patch, Replacement
from ca_reports.patching.result import Fix
from ca_reports.words.places import Places
from tests.unit.reports.output.fixed import FINDING, FIXES, TEXT, shown


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
