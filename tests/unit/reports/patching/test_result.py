"""The patches of a run, as every format reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.words.places import Places
from tests.unit.reports.output.fixed import FIXES

if TYPE_CHECKING:
    from pathlib import Path


def test_the_diff_of_an_offered_patch_is_after_those_before_it_and_of_another_alone() -> None:
    first, second = FIXES.offered
    (alternative,) = first.alternatives
    assert alternative.patch == second.patch
    assert "-two\n+2\n" in FIXES.diff(first)
    assert "+five!\n" in FIXES.diff(second)
    assert " two\n" not in FIXES.diff(second)
    assert "+five!\n" in FIXES.diff(alternative)


def test_files_are_named_below_the_root_where_that_is_known(tmp_path: Path) -> None:
    assert FIXES.path("b.py") == "b.py"
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").touch()
    inner = replace(FIXES, places=Places(tmp_path, str(tmp_path / "a")))
    assert inner.path("b.py") == "a/b.py"
