"""What counts each remedy of the samples is honest: `make truth-fixes` runs the whole."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import fixes, golden, remedies, score
from tests.corpus.kept import Kept

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = {
    one.name: one for one in fixes.programs(unseen=False, samples=True) if one.group == "samples"
}
WRITTEN = sorted(path.stem for path in remedies.ADVICE.glob("*.toml"))


def counts(**changed: Any) -> dict[str, Any]:
    same = dict.fromkeys([*remedies.COUNTED, "skipped", "failed", "calls", "compiled_calls"], 0)
    return {**same, "losses": [1.0, 2.0], "trained": [[6, 1.0], [6, 1.0]], **changed}


@pytest.mark.parametrize("name", WRITTEN)
def test_advice_is_of_a_sample_and_its_edits_apply(name: str) -> None:
    sample = SAMPLES[f"{name}_bad"]
    for one in remedies.advice(sample.name):
        changed = remedies.followed(sample.sources, one.edits)
        assert (changed != sample.sources) is not bool(one.not_applied)
        ast.parse(changed["train.py"])


FROZEN = [name for name in WRITTEN if golden.golden_of(f"{name}_bad").is_file()]


@pytest.mark.parametrize("name", FROZEN)
def test_a_finding_says_the_words_that_are_followed(name: str) -> None:
    said = [finding["fix"] for finding in golden.read(f"{name}_bad")]
    for one in remedies.advice(f"{name}_bad"):
        assert any(one.words in fix for fix in said), one.words


@pytest.mark.parametrize(
    ("after", "faults"),
    [
        (counts(), []),
        (counts(recompiles=1), ["torch counts more"]),
        (counts(limits=1), ["torch counts more"]),
        (counts(losses=[1.0, 2.1]), ["changes losses"]),
        (counts(losses=[1.0, 2.00001]), []),
        (counts(losses=[1.0]), ["changes losses"]),
        (counts(trained=[[6, 1.0], [6, 1.1]]), ["changes gradients"]),
        (counts(trained=[[6, 1.0], [4, 1.0]]), ["trains other weights"]),
        (counts(failed=1), ["the program fails"]),
    ],
)
def test_what_makes_a_remedy_worse(after: dict[str, Any], faults: list[str]) -> None:
    remedy = remedies.Remedy("patch", "this", {})
    assert remedies.faults(counts(), after, remedy) == faults


def test_what_a_remedy_says_of_itself_is_no_fault() -> None:
    after = counts(captures=2, losses=[3.0], trained=[[4, 0.5]])
    says_both = remedies.Remedy("advice", "this", {}, changes="samples", costs="a capture")
    assert not remedies.faults(counts(), after, says_both)
    assert remedies.Outcome(says_both, counts(), after).verdict == "costs"
    eager = counts(calls=10, compiled_calls=1)
    assert remedies.faults(counts(calls=10, compiled_calls=10), eager, says_both)


def test_a_program_that_stopped_is_cured_by_what_lets_it_go_on() -> None:
    before, after = counts(failed=1), counts(captures=3, losses=[1.0, 2.0, 3.0])
    remedy = remedies.Remedy("patch", "this", {})
    assert not remedies.faults(before, after, remedy)
    assert remedies.Outcome(remedy, before, after).verdict == "cures"
    assert remedies.Outcome(remedy, before, counts(failed=1)).verdict == "same"


# A forward's, with a patch, an advice and a twin; a backward's and a hook's take long.
@pytest.mark.parametrize(
    "name",
    [
        "ca703_mode_value_bad",
        pytest.param("ca206_scalar_baked_bad", marks=pytest.mark.long),
        pytest.param("ca303_hook_state_bad", marks=pytest.mark.long),
    ],
)
def test_no_remedy_of_a_sample_makes_it_worse(name: str, tmp_path: Path) -> None:
    measured = remedies.measure(SAMPLES[name], Kept(tmp_path))
    assert not measured.error
    assert {one.remedy.kind for one in measured.outcomes} >= {"twin"}
    for outcome in measured.outcomes:
        assert outcome.verdict == "better", (outcome.remedy.what, outcome.faults)
    assert name in remedies.table([measured])


def test_what_was_counted_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, kept = SAMPLES["ca206_scalar_baked_bad"].truth, Kept(tmp_path)
    asked: list[dict[str, str]] = []

    def measured(_: object, sources: dict[str, str]) -> dict[str, Any]:
        asked.append(sources)
        return counts(captures=len(asked))

    monkeypatch.setattr(score, "measured", measured)
    first = kept.counted(program, {"train.py": "1"})
    assert Kept(tmp_path).counted(program, {"train.py": "1"}) == first
    assert kept.counted(program, {"train.py": "2"})["captures"] == 2
    assert len(asked) == 2


def test_the_counter_does_not_count_itself(tmp_path: Path) -> None:
    # What Dynamo compiles in a backward that a compiled function calls is the program's alone.
    sources = {"train.py": COMPILED_STEP}
    program = SAMPLES["ca206_scalar_baked_bad"].truth
    counted = Kept(tmp_path).counted(program, sources)
    assert (counted["captures"], counted["compiles"], counted["breaks"]) == (1, 1, 1)
    assert [required for required, _ in counted["trained"]] == [17, 17]
    assert all(size > 0 for _, size in counted["trained"])


COMPILED_STEP = """
import torch

torch._dynamo.config.compiled_autograd = True
model = torch.nn.Linear(16, 1)

@torch.compile(backend="eager")
def step(inputs):
    model(inputs).square().mean().backward()

for _ in range(2):
    model.zero_grad()
    step(torch.ones(8, 16))
"""
