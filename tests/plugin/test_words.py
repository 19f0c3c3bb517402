"""A finding and a test's numbers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_pytest import words
from ca_reports.causes.findings import About, Finding
from ca_reports.causes.remedies import Remedy
from tests.unit.reports.made import LINE, captured, run_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_finding_has_a_line_for_each_thing_that_is_known(tmp_path: Path) -> None:
    rule = About("CA206", "scalar-baked")
    bare = Finding(rule, "warning", "it varies", Remedy("make it a tensor"))
    run = run_of(captured(0))
    assert words.finding(bare, run, tmp_path) == "  CA206 it varies\n        fix: make it a tensor"
    located = Finding(
        rule, "warning", "it varies " * 20, Remedy("f"), location=LINE, seconds=1.5, count=2
    )
    lines = words.finding(located, run, tmp_path).splitlines()
    assert all(len(line) <= words.WIDTH for line in lines)
    assert "        /t/train.py:7  loss.backward()" in lines
    assert any("1.5 s lost" in line and "2 times" in line for line in lines)


def test_numbers_that_are_none_are_left_out() -> None:
    none = {"captures": 0, "recaptures": 0, "compiles": 0, "recompiles": 0, "graph_breaks": 0}
    none |= {"seconds_lost": 0}
    assert words.numbers(none) == "0 captures"
    some = none | {"captures": 3, "recaptures": 2, "recompiles": 1, "seconds_lost": 1.25}
    told = words.numbers(some)
    assert told.startswith("3 captures (2 recaptures); 1 Dynamo recompile; 1.2")
    assert told.endswith("lost")
    forwards = none | {"compiles": 2, "recompiles": 1, "graph_breaks": 3}
    assert words.numbers(forwards) == "2 compiles; 1 Dynamo recompile; 3 graph breaks"
