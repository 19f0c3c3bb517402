"""The words of a comparison, section by section."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.comparison.runs import compare
from ca_reports.output.compare_sections import sections, verdict, where
from tests.unit.reports.comparison.sides import both, side
from tests.unit.reports.gates.made import recapturing, sample
from tests.unit.reports.output.reported import compared

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cause_that_is_gone_is_told_with_what_it_saves(tmp_path: Path) -> None:
    found = both(tmp_path, recapturing([3, 4]), recapturing([]))
    assert verdict(found).startswith("1 of 1 cause gone, ")
    assert verdict(found).endswith(" saved per run.")
    back = both(tmp_path / "back", recapturing([]), recapturing([3, 4]))
    assert verdict(back).startswith("1 new cause, ")
    assert verdict(back).endswith(" more lost per run.")


def test_of_two_equal_runs_nothing_is_told_but_the_counts(tmp_path: Path) -> None:
    run = sample(tmp_path)
    found = compare(side(run, "a"), side(run, "b"))
    assert verdict(found) == "0 of 4 causes gone."
    (counts, *others) = sections(found)
    assert counts.table[0] == ("", "base", "head", "")
    assert {row[3] for row in counts.table[1:]} == {""}
    assert all(section.rows or section.table for section in others)


def test_what_is_new_is_linked_to_its_page(tmp_path: Path) -> None:
    found = both(tmp_path, recapturing([]), recapturing([3]))
    rows = [row for section in sections(found) for row in section.rows if row.mark == "new"]
    assert rows
    assert any(link.side is found.head for row in rows for link in row.links)
    assert where(found.new[0]).startswith("train.py")


def test_rows_beyond_a_bound_are_counted(tmp_path: Path) -> None:
    found = compared(sample(tmp_path))
    many = replace(found, new=found.new * 100)
    section = next(one for one in sections(many) if one.left_out)
    assert len(section.rows) + section.left_out >= 100
