"""Two runs side by side."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import ca_reports
from ca_reports.comparison.runs import Side, compare, slower
from ca_reports.diagnosis.identities import Identity
from ca_reports.gates.baseline import Entry, entries, single
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import findings_to_know
from ca_reports.output.compare_sections import sections
from tests.unit.reports.comparison.sides import both, side
from tests.unit.reports.costs.caches.made import PARTS, loaded, start_of
from tests.unit.reports.gates.made import judged, recapturing, sample, with_internal_recompile
from tests.unit.reports.written import run_folder


def steady(mean: float, number: int = 60, seed: int = 1) -> list[float]:
    numbers = random.Random(seed)
    return [mean * numbers.uniform(0.97, 1.03) for _ in range(number)]


def test_a_run_and_itself(tmp_path: Path) -> None:
    run = sample(tmp_path)

    found = compare(side(run), side(run))

    assert not found.new
    assert not found.gone
    assert not found.moved
    assert len(found.same) == 4
    assert not found.new_captures
    assert not found.gone_captures
    assert len(found.captures) == 3
    assert found.loss is not None
    assert found.loss.before == found.loss.after == pytest.approx(21.875)
    assert found.loss.beyond_noise == 0
    assert slower(found, 0.0) is None
    assert found.graphs == ()
    assert found.graphs_compared == 3
    assert all(count.before == count.after for count in found.counts)


def test_an_internal_recompile_is_no_new_event(tmp_path: Path) -> None:
    after = recapturing([3])
    with_internal_recompile(after)

    found = both(tmp_path, recapturing([3]), after)

    assert [count.name for count in found.counts if count.before != count.after] == []
    assert not found.new_captures
    assert found.loss is not None
    assert found.loss.before == found.loss.after


def test_new_gone_and_moved(tmp_path: Path) -> None:
    before = recapturing([3], line=11)
    before.compiled("4/0", 1.0)
    before.compiled("4/1", 2.0, recompile_reason="4/0: n == 1.0   # return y * n")
    after = recapturing([3], line=12)
    after.compiled("4/0", 1.0)
    after.compiled("4/1", 2.0, recompile_reason="4/0: tensor 'x' size mismatch at index 0")

    found = both(tmp_path, before, after)

    assert [one.code for one in found.new] == ["CA000"]
    assert "size mismatch" in found.new[0].title
    assert [one.title for one in found.gone if isinstance(one, Identity)] != [found.new[0].title]
    assert [(one.code, one.file) for one, _ in found.moved] == [("CA206", "train.py")]
    assert not found.same


def test_captures_that_only_one_run_has(tmp_path: Path) -> None:
    found = both(tmp_path, recapturing([3]), recapturing([3, 4], seconds=0.5))

    assert [capture.label for capture in found.new_captures] == ["!2"]
    assert not found.gone_captures
    assert found.loss is not None
    assert found.loss.by_new == pytest.approx(0.5 + 0.25)  # the capture, and its first run
    assert found.loss.by_gone == 0
    assert slower(found, 0.1) == "0.75 s lost beyond the noise, on top of 0.75 s"
    assert slower(found, 1.5) is None


def test_slower_captures_count_only_if_there_are_enough(tmp_path: Path) -> None:
    few = both(tmp_path / "few", recapturing([3]), recapturing([3], seconds=0.9))
    values = list(range(3, 13))
    many = both(tmp_path / "many", recapturing(values), recapturing(values, seconds=0.9))

    assert few.loss is not None
    assert few.loss.ratio is not None
    assert few.loss.ratio.answer == "too few"
    assert slower(few, 0.1) is None
    assert many.loss is not None
    assert many.loss.ratio is not None
    assert many.loss.ratio.answer == "slower"
    assert slower(many, 0.1) is not None
    assert slower(many, 0.9) is None


def test_hits(tmp_path: Path) -> None:
    before = recapturing([], hits=steady(0.010))
    same = both(tmp_path / "same", before, recapturing([], hits=steady(0.010, seed=2)))
    slow = both(tmp_path / "slow", before, recapturing([], hits=steady(0.013, seed=2)))

    assert same.hits is not None
    assert same.hits.ratio is not None
    assert same.hits.ratio.answer == "no difference"
    assert slower(same, 0.0) is None
    assert slow.hits is not None
    assert slow.hits.ratio is not None
    assert slow.hits.ratio.value == pytest.approx(1.3, rel=0.05)
    told = slower(slow, 0.1)
    assert told is not None
    assert told.startswith("a backward that hits takes ×1.")
    assert slower(slow, 0.5) is None


def test_ranks_are_held_against_the_same_rank(tmp_path: Path) -> None:
    before = run_folder(tmp_path / "a", recapturing([3], rank=0), recapturing([], rank=1))
    after = run_folder(tmp_path / "b", recapturing([], rank=1), recapturing([3], rank=0))

    found = compare(side(ca_reports.load([before])), side(ca_reports.load([after])))

    assert not found.new_captures
    assert not found.gone_captures
    one_less = compare(
        side(ca_reports.load([before])),
        side(ca_reports.load([run_folder(tmp_path / "c", recapturing([3], rank=0))])),
    )
    assert len(one_less.gone_captures) == 1
    assert "2 processes before, 1 now." in one_less.notes


def test_baselines(tmp_path: Path) -> None:
    run = sample(tmp_path)
    known = single(entries(findings_to_know(judged(run, GateSettings()))))
    more = (*known, Entry("CA101", "last-batch", "train.py", "main", "the batch shrank"))

    found = compare(Side("a.json", known), Side("b.json", more))
    mixed = compare(Side("a.json", more), side(run))

    assert [one.code for one in found.new] == ["CA101"]
    assert len(found.same) == 4
    assert not found.runs
    assert found.counts == ()
    assert [one.code for one in mixed.gone] == ["CA101"]
    assert "a.json is a baseline" in mixed.notes[0]


def test_what_makes_seconds_differ_by_itself(tmp_path: Path) -> None:
    before = run_folder(tmp_path / "a", recapturing([]), host="box", versions={"torch": "2.13.0"})
    after = run_folder(
        tmp_path / "b", recapturing([]), host="ci-7", versions={"torch": "2.13.0", "ca": "2"}
    )

    found = compare(side(ca_reports.load([before])), side(ca_reports.load([after])))

    assert found.notes == ("Two machines (box, ci-7): their seconds differ by themselves.",)


def test_graphs_that_turned_cold_are_told_with_their_cause(tmp_path: Path) -> None:
    changed = start_of({**PARTS, "cpp_runtime_thread_count": "1"})
    runs = (("base", start_of(state="hit")), ("head", changed))
    found = compare(*(side(loaded(tmp_path / name, log)) for name, log in runs))
    assert found.start is not None
    assert [one.differs[0].differing.name for one in found.start.causes] == [
        "cpp_runtime_thread_count"
    ]
    (section,) = (one for one in sections(found) if one.title.startswith("Caches: "))
    assert section.title == "Caches: Cold: the graph was compiled (4.0 s)."
    assert section.rows[0].text == "cpp_runtime_thread_count: 2 → 1 (1 graph, 4.0 s)"
    assert section.rows[0].more[0] == "Graph: step train.py:7 (4.0 s)."
    assert section.rows[0].more[-1].startswith("Fix: `OMP_NUM_THREADS=2`")
