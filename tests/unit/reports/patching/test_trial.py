"""`ca try`: which configurations are worth trying, and whether losses agree."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules import find_rule
from ca_reports.patching import trial
from ca_reports.patching.trial import AS_IS, TrialOutcome
from ca_reports.run.model import Backwards, End, Process, Run, Trial


def finding(code: str, *also: str) -> Finding:
    about, *others = (rule.about() for rule in map(find_rule, (code, *also)) if rule)
    return Finding(about, "warning", "message", Remedy("fix"), other_rules=tuple(others))


def of(losses: tuple[float | str, ...], starts: tuple[float, ...] = ()) -> TrialOutcome:
    numbers, seconds, flags = array("q"), array("d"), array("b")
    rows = Backwards(numbers, numbers, seconds, seconds, flags, flags, 0, 0, 0)
    process = Process(0, "log", 1, 7, 10, recorded=True, backwards=rows)
    first = Process(
        1, "log0", 0, 8, 10, recorded=True, trial=Trial(starts, losses, True), backwards=rows
    )
    run = Run(("x",), ("log", "log0"), (process, first))
    return trial.outcome(AS_IS, run, trial.Ended(0))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], ["lowering", "torch engine"]),
        ([finding("CA102")], ["dynamic", "static", "lowering", "torch engine"]),
        ([finding("CA303")], ["eager hooks", "lowering", "torch engine"]),
        (
            [finding("CA504", "CA102")],
            ["dynamic", "static", "eager hooks", "lowering", "torch engine"],
        ),
        ([finding("CA206")], ["lowering", "torch engine"]),
    ],
)
def test_findings_suggest_what_to_try(found: list[Finding], expected: list[str]) -> None:
    as_is = replace(of(()), captures=1, findings=tuple(found))

    assert [configuration.name for configuration in trial.suggested(as_is)] == expected


def test_without_captures_nothing_is_tried_that_needs_one() -> None:
    assert trial.suggested(of(())) == ()
    shapes = trial.suggested(replace(of(()), findings=(finding("CA102"),)))
    assert [configuration.name for configuration in shapes] == ["dynamic", "static"]


def test_where_recompiles_wait_for_the_backend_another_process_is_tried() -> None:
    assert trial.suggested(replace(of(()), seconds_of_backends=0.1)) == ()
    (found,) = trial.suggested(replace(of(()), seconds_of_backends=5.0))
    assert (found.name, found.settings) == ("background", (("background", True),))


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ((1.0, 2.0), (1.0, 2.0), "equal"),
        ((1.0, 2.0), (1.0, 2.0 + 1e-5), "agree to 5e-06"),
        ((1.0, 2.0, 3.0), (1.0, 2.5, 3.0), "differ from backward 1 on: 2, 2.5"),
        ((1.0, "nan"), (1.0, "nan"), "equal"),
        ((1.0, 2.0), (1.0, "nan"), "differ from backward 1 on: 2, nan"),
        ((1.0, 2.0), (1.0,), "equal (1 of 2)"),
        ((1.0,), (), "none to compare"),
        ((0.0,), (0.0,), "equal"),
    ],
)
def test_agreement_of_losses(
    left: tuple[float | str, ...], right: tuple[float | str, ...], words: str
) -> None:
    assert trial.agreement(of(left), of(right)) == words


def test_an_outcome_is_of_the_lowest_rank_and_free_of_the_first_steps() -> None:
    found = of((3.0, 2.0, 1.0), (0.0, 9.0, 9.5, 10.0))

    assert found.losses == (3.0, 2.0, 1.0)
    assert found.backwards == 3
    assert found.seconds_a_step is not None
    assert math.isclose(found.seconds_a_step, 0.5)
    # Nothing was captured again, so nothing was lost: known, and not unknown.
    assert found.seconds_lost == 0.0


def test_steps_in_which_something_was_compiled_are_no_ordinary_ones() -> None:
    starts, compiles = (0.0, 0.1, 9.0, 9.5, 10.5, 12.0), (1, 2, 2, 2, 2, 2)
    assert Trial(starts, (), True, compiles=compiles).ordinary_seconds() == 0.5
    assert Trial(starts[:4], (), True, compiles=compiles).ordinary_seconds() is None


@pytest.mark.parametrize(
    ("code", "error", "was_stopped", "crashed"),
    [
        (0, None, False, False),
        (1, "KeyError", False, True),
        (3, None, False, False),  # by its own choice
        (-9, None, False, True),
        (1, None, True, True),
    ],
)
def test_a_crash_is_an_exception_a_signal_or_our_time_limit(
    code: int, error: str | None, *, was_stopped: bool, crashed: bool
) -> None:
    end = replace(End(), error=error)
    run = Run((), (), (Process(0, "log", None, 7, 10, recorded=True, end=end),))
    ended = trial.Ended(code, "told", was_stopped=was_stopped)
    assert trial.outcome(AS_IS, run, ended).crashed is crashed
    silent = replace(run, processes=(replace(run.processes[0], end=None),))
    assert trial.outcome(AS_IS, silent, ended).crashed is (code != 0)
