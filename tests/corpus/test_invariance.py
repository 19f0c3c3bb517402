"""What `ca` says does not depend on names, files and forms that mean the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import frozen, golden, invariance, replay, variants
from tests.corpus.variants import Variant

SEEDS = invariance.seeds()
PROGRAMS = {program.name: program for program in replay.programs()}
# The same is said of each of their variants; small, and of most kinds.
FEW = ("deterministic", "temperature", "autocast_warmup")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_recorded_is_what_is_made_of_the_seed(seed: str) -> None:
    kept, program = invariance.read(seed), PROGRAMS[seed]
    made = variants.variants(variants.Seed(program.sources, kept.places))
    assert {*kept.recordings, *kept.left_out} == {*made}, "--record it"
    for kind, recording in kept.recordings.items():
        told = frozen.digest(made[kind].sources, program.options)
        assert recording.told == told, f"{kind}: --record it"


def test_the_same_is_said_of_variants_of_a_few_programs() -> None:
    found = [*invariance.results(FEW)]
    assert len({result.kind for result in found}) >= 5
    assert invariance.misses(found) == ""


def test_what_is_said_of_a_few_programs_is_of_their_own_classes() -> None:
    found = [*invariance.crowded(("temperature", "call_center", "b20_layer_names", "ink_monitors"))]
    assert len(found) == 4
    assert invariance.misses(found) == ""


def test_an_object_beside_has_the_names_and_moves_no_line() -> None:
    text = "class Net:\n    def __init__(self):\n        self.heat = 1\nfor x in xs:\n    net(x)\n"
    made = variants.crowded(variants.Seed({"train.py": text}, ()))
    assert made is not None
    lines = made.sources["train.py"].splitlines()
    assert lines[:5] == [*text.splitlines()[:4], "    net(x); ledger1.noted1(1)"]
    assert "        self.heat = value" in lines[5:]
    assert made.lines["train.py", 5] == {("train.py", 5)}
    assert variants.crowded(variants.Seed({"train.py": text}, [("train.py", 5)])) is None


@pytest.mark.long
def test_as_often_the_same_is_said_of_all_variants() -> None:
    now = invariance.rates([*invariance.results(), *invariance.crowded()])
    assert golden.fallen(invariance.read_rates(), now) == []


def test_rates_are_of_all_that_is_recorded() -> None:
    counts = {kind: own["no more"][1] for kind, own in invariance.read_rates().items()}
    kinds = [kind for seed in SEEDS for kind in invariance.read(seed).recordings]
    del counts[invariance.CROWDED]
    assert counts == {kind: kinds.count(kind) for kind in counts}
    assert {*counts} == {*kinds}, "--settle them"


# ---- what is compared

SAID = {
    "code": "CA206", "severity": "warning", "location": "train.py:3", "noticed_at": "train.py:5",
    "message": "…", "fix": "make `rate` (train.py:3) a tensor",
    "patches": [{"what": "rate a tensor at train.py:3"}],
}  # fmt: skip
VARIANT = Variant(
    {}, {("train.py", 3): frozenset({("parts1.py", 2)})}, {"item_1": "rate", "item_12": "late"}
)
MOVED = {
    **SAID, "location": "parts1.py:2", "fix": "make `item_1` (parts1.py:2) a tensor",
    "patches": [{"what": "item_1 a tensor at parts1.py:2"}],
}  # fmt: skip


def compared(
    findings: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[str], dict[str, int]]:
    monkeypatch.setattr(golden, "read", lambda name: [SAID, {**SAID, "severity": "info"}])
    result = invariance.compared("seed", "renamed", VARIANT, findings)
    return result.differences, {aspect: result.same[aspect] for aspect in result.of}


def test_names_and_lines_are_those_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    same = dict.fromkeys(invariance.ASPECTS, 1)
    assert compared([MOVED], monkeypatch) == ([], same)
    assert compared([MOVED, {**MOVED, "severity": "info"}], monkeypatch) == ([], same)


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"location": "train.py:3"}, {"place"}),
        ({"fix": "make `item_12` (parts1.py:2) a tensor"}, {"fix"}),
        ({"patches": []}, {"patch"}),
        ({"code": "CA000"}, {"code", "no more"}),
        ({"severity": "info"}, {"code"}),
    ],
)
def test_what_differs_is_counted_and_told(
    change: dict[str, Any], lost: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told, same = compared([{**MOVED, **change}], monkeypatch)
    assert {aspect for aspect, number in same.items() if not number} == lost
    assert len(told) == len(lost)


def test_the_finding_at_the_line_is_compared_first(monkeypatch: pytest.MonkeyPatch) -> None:
    told, _ = compared([{**MOVED, "location": "train.py:9"}, MOVED], monkeypatch)
    assert told == ["also said: CA206 at train.py:9"]


def test_rates_are_raised_and_lowered_with_a_reason_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invariance, "RATES", tmp_path / "rates.json")
    monkeypatch.setattr(golden, "ACCEPTED", tmp_path / "accepted.md")
    worse, better = {"renamed": {"code": [8, 10]}}, {"renamed": {"code": [9, 10]}}
    assert invariance.settle(worse) == []
    assert invariance.settle(better) == []
    assert invariance.settle(worse) == ["renamed: code: 8 of 10, and was 9 of 10"]
    assert invariance.read_rates() == better
    assert invariance.settle(worse, "the seed says more") == []
    assert invariance.read_rates() == worse
    assert "\n- the seed says more\n  - variants, renamed: code: 8" in golden.ACCEPTED.read_text()


def test_recordings_have_the_same_bytes_and_belong_to_their_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = FEW[0]
    kept = invariance.read(seed)
    data = invariance.file_of(seed).read_bytes()
    monkeypatch.setattr(invariance, "FOLDER", tmp_path)
    invariance.write(seed, kept)
    assert invariance.file_of(seed).read_bytes() == data
    other = {kind: replace(one, told="other") for kind, one in kept.recordings.items()}
    invariance.write(seed, replace(kept, recordings=other))
    with pytest.raises(ValueError, match="changed since it was recorded"):
        next(invariance.results([seed]))
