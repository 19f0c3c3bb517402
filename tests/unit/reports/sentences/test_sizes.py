"""Words about sizes and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.sizes.costs import Range
from ca_reports.facts.sizes.examined import examine
from ca_reports.sentences import sizes as words
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.facts.sizes.made import automatic, dynamic, each_by_itself
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {60: 40, 64: 30, 120: 10, 250: 5}


def test_the_headline_says_what_the_best_plan_saves(tmp_path: Path) -> None:
    log = each_by_itself(SIZES, seconds=10.0)
    found = examine(loaded(log, tmp_path), 100)
    now, best = found.functions[0].as_is, found.functions[0].best
    assert now is not None
    assert best is not None
    assert words.headline(found).startswith("ids[1], mask[1] varied; mark_dynamic would save about")
    assert words.headline(found).endswith(f"of {words.seconds(now.total)} in 100 steps")


def test_nothing_is_advised_where_nothing_is_saved(tmp_path: Path) -> None:
    found = examine(loaded(each_by_itself(SIZES, seconds=0.001), tmp_path), 10**6)
    assert words.headline(found) == (
        "ids[1], mask[1] varied; nothing saves more than 2%: leave it as it is"
    )


def test_a_run_without_counts_says_how_to_get_them(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_end(START + 9, 0, 0)
    assert "--no-sizes" in words.headline(examine(loaded(log, tmp_path)))


def test_the_advice_compares_buckets_with_one_graph_for_any_size(tmp_path: Path) -> None:
    log = each_by_itself(SIZES, seconds=3.0)
    dynamic(log, "0/4", {60: 5, 100: 5}, slower=1.25)
    log.compiled("0/4", 4.0)
    (one,) = examine(loaded(log, tmp_path), 10_000).functions
    told = words.advice(one)
    assert "buckets (" in told
    assert "% padding, " in told
    assert "mark_dynamic: 1 compile, steps 25% slower, " in told
    assert told.count("over 10,000 steps") == 2


def test_a_range_is_told_as_one() -> None:
    assert words.seconds(Range(1.0, 2.0, 3.0)) == "1.0–3.0 s"
    assert words.seconds(Range.exactly(2.0)) == "2.0 s"
    assert words.step_seconds(Range(0.0101, 0.011, 0.012)) == "10.1–12 ms"


def test_what_was_not_measured_is_said(tmp_path: Path) -> None:
    (one,) = examine(loaded(automatic(SIZES), tmp_path)).functions
    assert any(note.startswith("Measured: ") for note in words.notes(one))
    (other,) = examine(loaded(each_by_itself(SIZES), tmp_path)).functions
    assert any(note.startswith("Not measured: ") for note in words.notes(other))


def test_every_plan_says_what_to_change(tmp_path: Path) -> None:
    many = dict.fromkeys(range(10, 250, 10), 5)
    (one,) = examine(loaded(automatic({1: 3, **many}), tmp_path)).functions
    told = {plan.kind: words.how(plan) for plan in one.plans}
    assert len(told) == 7
    assert "with a mask" in told["buckets"]
    assert "dynamic=False" in told["buckets"]
    assert "dynamic=False" not in told["one_length"]
    assert "recompile_limit = 10" in next(
        words.how(plan) for plan in one.plans if len(plan.sizes) == 10
    )
