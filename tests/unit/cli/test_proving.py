"""Which patches are offered: alone, together, beside others, and those that only work at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from ca_cli.proving import Verification
from ca_cli.trial_progress import TrialProgress
from ca_cli.trials import NothingRecordedError
from ca_cli.verifying import RunLimits
from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.patching.patches import Patch, Replacement
from ca_reports.patching.result import Fix, Fixes
from ca_reports.patching.trial import AS_IS, TrialOutcome
from ca_reports.run.model import Trial
from tests.unit.cli.programs import program_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TEXT = "a = 1\nb = 1\nc = 1\n"
# Which characters of it a patch of a name changes.
PLACES = {"a": 4, "b": 10, "c": 16}


class Runs:
    """A command that ends as its text says."""

    def __init__(self, program: Callable[[str], TrialOutcome]) -> None:
        self.program = program
        self.texts: list[str] = []

    def run(self, *arguments: Any) -> TrialOutcome:
        changed: Mapping[Path, str] | None = arguments[-1]
        text = TEXT if changed is None else "".join(changed.values())
        self.texts.append("".join(name for name, at in PLACES.items() if text[at] != "1"))
        return self.program(self.texts[-1])


def finding(code: str) -> Finding:
    rule = find_rule(code)
    assert rule is not None
    return Finding(rule.about(), "warning", "m", Remedy("f"))


FIRST, SECOND, THIRD = finding("CA801"), finding("CA803"), finding("CA101")


def patch(name: str) -> Patch:
    start = PLACES[name]
    return Patch(f"patch {name}", (Replacement("train.py", start, start + 1, "9"),))


def outcome(breaks: int, *findings: Finding, **more: Any) -> TrialOutcome:
    losses = more.pop("losses", (4.0, 3.0))
    made = TrialOutcome(AS_IS, 2, 0, 0, 3.0, 0.1, losses, 0, None, findings, graph_breaks=breaks)
    return replace(made, compiles=1, trials=(Trial((), losses, False),), **more)


def proven(folder: Path, runs: Runs, *fixes: Fix) -> Fixes:
    program = program_at(folder, TEXT)
    found = Fixes({"train.py": TEXT}, fixes)
    quiet = TrialProgress(quiet=True)
    return Verification(
        cast("Any", runs), found, program, RunLimits(9), folder / "runs", quiet
    ).run()


def codes(fixes: tuple[Any, ...]) -> list[str]:
    return [one.finding.code for one in fixes]


TWO = Fix(FIRST, patch("a")), Fix(SECOND, patch("b"))


def test_patches_are_proven_together(tmp_path: Path) -> None:
    ends = {
        "": outcome(2, FIRST, SECOND),
        "a": outcome(1, SECOND),
        "b": outcome(1, FIRST),
        "ab": outcome(0),
    }
    runs = Runs(ends.__getitem__)
    found = proven(tmp_path, runs, *TWO)
    assert codes(found.offered) == ["CA801", "CA803"]
    assert runs.texts == ["", "a", "b", "ab"]
    assert found.left == ()


def test_a_patch_that_does_harm_alone_is_run_with_the_one_that_it_needs(tmp_path: Path) -> None:
    ends = {
        "": outcome(2, FIRST, SECOND),
        "b": outcome(1, FIRST),
        "ab": outcome(0),
    }
    runs = Runs(ends.__getitem__)
    needing = replace(TWO[0], beside=SECOND)
    found = proven(tmp_path, runs, needing, TWO[1])
    assert codes(found.offered) == ["CA801", "CA803"]
    assert runs.texts == ["", "b", "ab", "ab"]
    assert found.failed == ()


def test_a_patch_is_not_offered_without_the_one_that_it_needs(tmp_path: Path) -> None:
    ends = {
        "": outcome(2, FIRST, SECOND),
        "b": outcome(1, FIRST),
        "ab": outcome(0, error="KeyError: 1", exit_code=1, crashed=True),
    }
    found = proven(tmp_path, Runs(ends.__getitem__), replace(TWO[0], beside=SECOND), TWO[1])
    assert codes(found.offered) == ["CA803"]
    assert codes(found.failed) == ["CA801"]


def test_of_patches_that_fail_together_the_first_is_offered(tmp_path: Path) -> None:
    ends = {
        "": outcome(2, FIRST, SECOND),
        "a": outcome(1, SECOND),
        "b": outcome(1, FIRST),
        "ab": outcome(0, error="KeyError: 1", exit_code=1, crashed=True),
    }
    found = proven(tmp_path, Runs(ends.__getitem__), *TWO)
    assert codes(found.offered) == ["CA801"]
    assert codes(found.refused) == ["CA803"]
    assert found.left == (SECOND,)


def test_of_patches_of_the_same_lines_the_first_is_offered(tmp_path: Path) -> None:
    ends = {"": outcome(2, FIRST, SECOND), "a": outcome(1)}
    runs = Runs(ends.__getitem__)
    other = Patch("patch b", (Replacement("train.py", PLACES["a"], PLACES["a"] + 1, "8"),))
    found = proven(tmp_path, runs, TWO[0], Fix(SECOND, other))
    assert codes(found.offered) == ["CA801"]
    assert runs.texts == ["", "a", "a"]


@pytest.mark.parametrize("is_needed", [True, False])
def test_what_saves_nothing_alone_is_tried_beside_what_is_proven(
    tmp_path: Path, *, is_needed: bool
) -> None:
    """Of two breaks of one graph either hides the other."""
    left = () if is_needed else (SECOND,)
    ends = {
        "": outcome(2, FIRST, SECOND),
        "a": outcome(1, SECOND),
        "b": outcome(2, FIRST, SECOND),
        "ab": outcome(len(left), *left),
    }
    runs = Runs(ends.__getitem__)
    found = proven(tmp_path, runs, *TWO)
    assert runs.texts == ["", "a", "b", "ab"]
    assert codes(found.offered) == (["CA801", "CA803"] if is_needed else ["CA801"])
    assert codes(found.failed) == ([] if is_needed else ["CA803"])
    if is_needed:
        assert found.offered[1].proof is not None
        assert "graph breaks 1 → 0" in found.offered[1].proof.counts
        assert "beside the patch for CA801" in found.offered[1].patch.note


def test_what_is_gone_with_another_patch_is_not_left(tmp_path: Path) -> None:
    whole = outcome(2, FIRST, SECOND)
    runs = Runs({"": whole, "a": outcome(0), "b": whole}.__getitem__)
    found = proven(tmp_path, runs, *TWO)
    assert runs.texts == ["", "a", "b"]
    assert (codes(found.offered), found.failed, found.gone) == (["CA801"], (), (SECOND,))


def test_parts_that_only_work_together_are_one_patch(tmp_path: Path) -> None:
    whole = outcome(2, FIRST, SECOND, THIRD)
    runs = Runs(lambda text: outcome(0) if "ab" in text else whole)
    found = proven(tmp_path, runs, *TWO, Fix(THIRD, patch("c")))
    # All three, then each left out: the third is not needed.
    assert runs.texts == ["", "a", "b", "c", "abc", "bc", "ac", "ab"]
    (fix,) = found.offered
    assert (fix.finding, fix.also) == (FIRST, (SECOND,))
    assert fix.patch.what == "patch a and patch b"
    assert len(fix.patch.replacements) == 2
    assert fix.proof is not None
    assert not fix.proof.failure
    assert found.failed == ()
    assert found.gone == (THIRD,)


def test_parts_that_do_not_work_together_either_stay_failed(tmp_path: Path) -> None:
    runs = Runs(lambda _: outcome(2, FIRST, SECOND))
    found = proven(tmp_path, runs, *TWO)
    assert runs.texts == ["", "a", "b", "ab"]
    assert (found.offered, codes(found.failed)) == ((), ["CA801", "CA803"])


def test_the_unchanged_program_runs_again_where_results_differ(tmp_path: Path) -> None:
    """Its second loss differs from run to run: what can be compared is equal."""
    numbers = iter(range(9))

    def program(text: str) -> TrialOutcome:
        losses = (4.0, 3.0 + next(numbers))
        return outcome(1, losses=losses) if text else outcome(2, FIRST, losses=losses)

    runs = Runs(program)
    found = proven(tmp_path, runs, TWO[0])
    assert runs.texts == ["", "a", ""]
    (fix,) = found.offered
    assert fix.proof is not None
    assert fix.proof.agreement.startswith("losses of the first 1 of 2 backwards equal bit for bit")


def test_a_crash_that_is_cured(tmp_path: Path) -> None:
    ends = {
        "": outcome(0, FIRST, losses=(4.0,), error="IndexError: 1", exit_code=1, crashed=True),
        "a": outcome(1),
    }
    found = proven(tmp_path, Runs(ends.__getitem__), TWO[0])
    (fix,) = found.offered
    assert fix.proof is not None
    assert fix.proof.cures_crash


def test_a_patch_that_breaks_the_program_before_torch_is_there_fails_alone(tmp_path: Path) -> None:
    broken = outcome(0, losses=(), error="SyntaxError: 1", exit_code=1, crashed=True)

    def program(text: str) -> TrialOutcome:
        if text == "a":
            raise NothingRecordedError("nothing was recorded", broken)
        return outcome(1, FIRST) if text else outcome(2, FIRST, SECOND)

    found = proven(tmp_path, Runs(program), *TWO)
    assert (codes(found.offered), codes(found.failed)) == (["CA803"], ["CA801"])
    assert found.failed[0].proof is not None
    assert found.failed[0].proof.failure == "the patched program ended with: SyntaxError: 1"


def test_patched_runs_may_take_some_times_as_long() -> None:
    as_is = outcome(2, seconds=10.0)
    assert RunLimits(9).after(as_is) == RunLimits(9, 110.0)
    assert RunLimits(9).after(replace(as_is, crashed=True)) == RunLimits(9, 600.0)
    assert RunLimits(9, 30.0).after(as_is) == RunLimits(9, 30.0)
