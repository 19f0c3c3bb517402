"""No patch makes a program worse, by what torch counted; what counts them is honest."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import counts, golden, remedies, truth, verified

PROGRAMS = {one.name: one for one in remedies.programs()}
SAMPLES = {
    name: one
    for name, one in PROGRAMS.items()
    if isinstance(one, truth.Sample) and name.endswith("_bad")
}
WRITTEN = sorted(path.stem for path in remedies.ADVICE.glob("*.toml"))
ROOT = Path(__file__).parents[2]


@cache
def judged() -> list[remedies.Measured]:
    """Judge every patch of the golden files."""
    kept = counts.read()
    return [remedies.measure(one, golden.read(one.name), kept.get) for one in PROGRAMS.values()]


# ---- what was counted


def test_no_patch_is_harmful_or_of_no_use_without_a_reason() -> None:
    assert remedies.unexplained(judged()) == []


def test_no_more_remedies_are_uncounted_than_were() -> None:
    found = remedies.uncounted(judged())
    assert len(found) <= remedies.most_uncounted(), (
        "count those of the programs that you changed, and commit counts.json.zst: "
        f"python -m tests.corpus.remedies NAME\n{chr(10).join(found)}"
    )


def test_patches_parse_and_keep_the_layout(tmp_path: Path) -> None:
    number = 0
    for program in PROGRAMS.values():
        for remedy in remedies.patches(program, golden.read(program.name)):
            for name, text in remedy.sources.items():
                if text == program.sources[name]:
                    continue
                compile(text, name, "exec")
                for state, written in (("before", program.sources[name]), ("after", text)):
                    (tmp_path / state).mkdir(exist_ok=True)
                    (tmp_path / state / f"{number:04}_{program.name}.py").write_text(written)
                number += 1
    assert number > 400
    moved = unformatted(tmp_path / "after") - unformatted(tmp_path / "before")
    assert not moved, "not in the layout of `ruff format` any more"


def unformatted(folder: Path) -> set[str]:
    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--isolated", "--line-length", "100", "--check", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return {
        Path(line.removeprefix("Would reformat: ")).name
        for line in done.stdout.splitlines()
        if line.startswith("Would reformat: ")
    }


# A forward's, with a patch, an advice and a twin; a backward's, without an advice, and a hook's
# take long.
@pytest.mark.parametrize(
    "name",
    [
        "ca703_mode_value_bad",
        pytest.param("ca206_scalar_baked_bad", marks=pytest.mark.long),
        pytest.param("ca303_hook_state_bad", marks=pytest.mark.long),
    ],
)
def test_what_is_kept_is_what_torch_counts_now(name: str) -> None:
    program, now, kept = SAMPLES[name], counts.Counts(counts.counter()), counts.read()
    measured = remedies.measure(program, golden.read(name), now.count)
    assert not measured.error
    kinds = {"twin", *(["advice"] if name.removesuffix("_bad") in WRITTEN else [])}
    assert {one.remedy.kind for one in measured.outcomes} >= kinds
    for outcome in measured.outcomes:
        assert outcome.verdict in ("right", "withheld"), (outcome.remedy.what, outcome.faults)
        assert kept.get(program, outcome.remedy.sources) == outcome.after
    assert name in remedies.details([measured])


@pytest.mark.long
def test_what_verify_offers_is_right_by_torch_alone(tmp_path: Path) -> None:
    found = verified.measure(SAMPLES["ca206_scalar_baked_bad"], tmp_path, counts.read())
    assert [one.verdict for one in found.outcomes] == ["right"]
    assert "CA206" in verified.table([found])


# ---- advice


@pytest.mark.parametrize("name", WRITTEN)
def test_advice_is_of_a_sample_and_its_edits_apply(name: str) -> None:
    for one in truth.samples():
        if one.name != f"{name}_bad":
            continue
        for words in remedies.advice(one):
            changed = remedies.followed(one.sources, words.edits)
            assert (changed != one.sources) is not bool(words.not_applied)
            ast.parse(changed[one.script])
        return
    assert truth.NEEDS_CUDA in (truth.SAMPLES / f"{name}_bad.py").read_text()


@pytest.mark.parametrize("name", [one for one in WRITTEN if f"{one}_bad" in SAMPLES])
def test_a_finding_says_the_words_that_are_followed(name: str) -> None:
    sample = SAMPLES[f"{name}_bad"]
    said = [finding["fix"] for finding in golden.read(sample.name)]
    for one in remedies.advice(sample):
        assert any(one.words in fix for fix in said), one.words


# ---- verdicts


def count(**changed: Any) -> dict[str, Any]:
    same = dict.fromkeys([*remedies.COUNTED, "skipped", "failed", "calls", "compiled_calls"], 0)
    told = {"losses": [1.0, 2.0], "trained": [[6, 1.0], [6, 1.0]], "printed": "", "error": ""}
    return {**same, **told, **changed}


def remedy(**changed: Any) -> remedies.Remedy:
    return remedies.Remedy("patch", "this", {}, **changed)


@pytest.mark.parametrize(
    ("after", "faults"),
    [
        (count(), []),
        (count(recompiles=1), ["torch counts more"]),
        (count(limits=1), ["torch counts more"]),
        (count(losses=[1.0, 2.1]), ["changes losses"]),
        (count(losses=[1.0, 2.00001]), []),
        (count(losses=[1.0]), ["changes losses"]),
        (count(trained=[[6, 1.0], [6, 1.1]]), ["changes gradients"]),
        (count(trained=[[6, 1.0], [4, 1.0]]), ["trains other weights"]),
        (count(failed=1, error="KeyError: 3"), ["the program fails: KeyError: 3"]),
    ],
)
def test_what_makes_a_remedy_harmful(after: dict[str, Any], faults: list[str]) -> None:
    assert remedies.faults(count(), after, remedy()) == faults


def test_what_a_remedy_says_of_itself_is_no_fault() -> None:
    after = count(captures=2, losses=[3.0], trained=[[4, 0.5]])
    says_both = remedy(changes="samples", costs="a capture")
    assert not remedies.faults(count(), after, says_both)
    assert remedies.Outcome(says_both, count(), after).verdict == "right"
    eager = count(calls=10, compiled_calls=1)
    assert remedies.faults(count(calls=10, compiled_calls=10), eager, says_both)
    # Gradients are dropped after the backward: all that may not differ is what is computed.
    kept = remedy(keeps_requires_grad=True)
    assert not remedies.faults(count(), count(trained=[[4, 0.5]]), kept)
    assert remedies.faults(count(), count(losses=[3.0]), kept) == ["changes losses"]
    # They were None after the backward.
    held, there = remedy(holds_gradients=True), count(trained=[[6, 2.0], [6, 2.0]])
    assert not remedies.faults(count(), there, held)
    assert remedies.faults(count(), there, remedy()) == ["changes gradients"]
    assert remedies.faults(count(), count(trained=[[4, 1.0]]), held) == ["trains other weights"]


def test_a_program_that_stopped_is_cured_by_what_lets_it_go_on() -> None:
    before, after = count(failed=1), count(captures=3, losses=[1.0, 2.0, 3.0])
    assert not remedies.faults(before, after, remedy())
    assert remedies.Outcome(remedy(), before, after).verdict == "right"
    assert remedies.Outcome(remedy(), before, count(failed=1)).verdict == "no better"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((33, 24), (33, 3), "runs 30 of 33 calls uncompiled"),
        ((40, 40), (40, 36), ""),
        ((40, 40), (40, 35), "runs 5 of 40 calls uncompiled"),
        # At a recompile limit calls ran eagerly before, too.
        ((36, 24), (36, 36), ""),
        # A function that is called once for all layers.
        ((40, 40), (4, 4), ""),
        ((0, 0), (0, 0), ""),
    ],
)
def test_a_patch_must_not_win_by_not_compiling(
    before: tuple[int, int], after: tuple[int, int], told: str
) -> None:
    names = "calls", "compiled_calls"
    found = [count(**dict(zip(names, one, strict=True))) for one in (before, after)]
    assert remedies.eager_calls(*found) == told


def test_a_patch_that_only_verify_offers_is_withheld_where_calls_are_many() -> None:
    before = count(calls=10, compiled_calls=10, recompiles=3)
    after, few = count(calls=10, compiled_calls=1), count(calls=10, compiled_calls=9)
    measured = remedy(runs_eager=True)
    assert not remedies.faults(before, after, measured)
    assert remedies.Outcome(measured, before, after).verdict == "withheld"
    assert remedies.Outcome(measured, before, few).verdict == "right"
    prints = remedies.Outcome(measured, before, after, faults=["prints 2, not 1"])
    assert prints.verdict == "withheld"
    assert replace(prints, after=few).verdict == "harmful"
    # What says so without being measured has to cure.
    says_so = remedy(leaves_calls=True)
    assert remedies.faults(before, after, says_so) == ["runs 9 of 10 calls uncompiled"]
    assert not remedies.faults(before | {"failed": 1}, after, says_so)
    assert remedies.Outcome(says_so, before | {"failed": 1}, after).verdict == "right"


def test_losses_are_compared_up_to_where_a_program_stopped() -> None:
    assert remedies.compare([1.0, 2.0], [1.0, 2.0]) == "equal"
    assert remedies.compare([1.0, 2.0], [1.0, 2.00001]) == "noise"
    assert remedies.compare([1.0, 2.0], [1.0, 2.1]) == "different"
    assert remedies.compare([1.0, 2.0], [1.0]) == "different"
    assert remedies.compare([], []) == "none"
    before, after = count(failed=1, losses=[1.0]), count(losses=[1.0, 0.9])
    assert remedies.comparable_losses(before, after) == [1.0]
    assert remedies.comparable_losses(before | {"failed": 0}, after) == [1.0, 0.9]


# ---- a program with two findings, one line each

TWO = "a = 1\nb = 1\nc = 0\n"


class Made(truth.Program):
    """A program whose one file is ``TWO``."""

    sources = {"train.py": TWO}  # noqa: RUF012


PROGRAM = Made(Path("made"), "", "forward", [])


def finding(code: str, old: str, new: str, line: int) -> dict[str, Any]:
    diff = ["--- a/train.py", "+++ b/train.py", f"@@ -{line} +{line} @@", f"-{old}", f"+{new}"]
    return {"code": code, "location": "train.py:1", "patches": [{"what": new, "diff": diff}]}


BOTH = [finding("CA101", "a = 1", "a = 2", 1), finding("CA206", "b = 1", "b = 2", 2)]
REFUSED = {"code": "CA708", "location": "", "refusal": "nothing to edit"}


def measured(
    counted: dict[str, dict[str, Any]],
    findings: list[dict[str, Any]] = BOTH,
    program: truth.Program = PROGRAM,
) -> remedies.Measured:
    """Judge by what is counted of each state of the source."""

    def ask(
        program: truth.Program, sources: Any, *, once_more: bool = False
    ) -> dict[str, Any] | None:
        return counted.get(sources["train.py"])

    return remedies.measure(program, findings, ask)


A, B, AB = (
    TWO.replace("a = 1", "a = 2"),
    TWO.replace("b = 1", "b = 2"),
    TWO.replace("= 1", "= 2"),
)


def test_a_patch_that_saves_beside_the_others_only_is_right() -> None:
    two = count(recompiles=2)
    found = measured({TWO: two, A: two, B: two, AB: count()})
    assert [(one.remedy.kind, one.verdict) for one in found.outcomes] == [
        ("patch", "right"), ("patch", "right"), ("together", "right"),
    ]  # fmt: skip
    found = measured({TWO: two, A: two, B: count(recompiles=1), AB: count(recompiles=1)})
    assert [one.verdict for one in found.outcomes] == ["no better", "right", "right"]
    assert remedies.unexplained([found]) == ["made: CA101: a = 2: no better"]


def test_a_patch_that_saves_beside_the_truths_remedy_is_right() -> None:
    # GIVEN a finding without a patch that recompiles in the same steps
    cause = truth.Cause("CA708", "", [], "", [truth.Edit("train.py", "c = 0", "c = 1")])
    two, mended = count(recompiles=2), TWO.replace("c = 0", "c = 1")
    counted = {TWO: two, A: two, mended: count(recompiles=1), A.replace("c = 0", "c = 1"): count()}
    program = Made(Path("made"), "", "forward", [cause])
    found = measured(counted, [BOTH[0], REFUSED], program)
    assert [one.verdict for one in found.outcomes] == ["right"]


def test_what_has_no_count_has_no_verdict() -> None:
    found = measured({TWO: count(recompiles=1), A: count()}, [*BOTH, REFUSED])
    assert [one.verdict for one in found.outcomes] == ["right", "uncounted", "uncounted"]
    assert len(remedies.uncounted([found])) == 2
    assert found.refused == ["CA708 at no line: nothing to edit"]
    # What it prints may differ by itself: that takes a second run of the unchanged program.
    other = measured({TWO: count(printed="1\n"), A: count(printed="2\n")}, BOTH[:1])
    assert other.outcomes[0].faults == ["prints '2', not '1'"]
    assert "| 1 of 1 (100%) | 1 of 1 (100%) | 0 | 0 | 0 | 1 |" in remedies.table([found])


def test_a_program_that_fails_as_it_stands_is_an_error() -> None:
    found = measured({TWO: count(failed=1, error="KeyError: 3")})
    assert remedies.unexplained([found]) == ["made: fails as it stands: KeyError: 3"]


def test_what_is_counted_is_saved_and_nothing_is_counted_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "counts.json.zst"
    monkeypatch.setattr(counts.Counts, "save", lambda self: file.write_bytes(self.pack()))
    program = SAMPLES["ca206_scalar_baked_bad"]
    kept = counts.Counts(counts.counter())
    (found,) = remedies.fill([program], kept, minutes=1e-12)
    assert {one.verdict for one in found.outcomes} == {"uncounted"}
    kept.add(program, {program.script: "not asked for any more"}, count())
    for one in found.outcomes:
        kept.add(program, one.remedy.sources, count(printed="", recompiles=0))
    kept.add(program, program.sources, count(recompiles=1))
    (found,) = remedies.fill([program], kept, minutes=1e-12)
    assert {one.verdict for one in found.outcomes} == {"right"}
    again = counts.unpack(file.read_bytes())
    assert again.get(program, {program.script: "not asked for any more"}) is None
    assert again.get(program, program.sources) == count(recompiles=1)
