"""CA720: a compiled helper that several places of a model call."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.model import Process, Run
from tests.unit.reports.causes.rules.helpers_called import (
    ATTENTION,
    FIRST,
    MLP,
    NET,
    RANK,
    SCRIPT,
    called,
    found_in,
)


def test_two_lines_of_a_forward_are_two_uses() -> None:
    again = called(1, [SCRIPT, ("forward", 23, ATTENTION)], (4, 2, 8, 8), RANK.format(3, 4))
    assert found_in(FIRST, again) == {"CA720": ("0/1",)}


def test_two_layers_of_a_model_are_two_uses() -> None:
    through = [SCRIPT, ("forward", 11, NET)]
    found = found_in(
        called(0, [*through, ("forward", 20, ATTENTION)], (4, 8, 16)),
        called(1, [*through, ("forward", 20, MLP)], (4, 64), RANK.format(3, 2)),
    )
    assert found == {"CA720": ("0/1",)}


def test_such_a_use_is_no_loss() -> None:
    again = called(1, [SCRIPT, ("forward", 23, ATTENTION)], (4, 2, 8, 8), RANK.format(3, 4))
    process = Process(
        index=0, file="a.log", rank=None, pid=1, records=9, recorded=True, compiles=(FIRST, again)
    )
    analysis = analyze(Run(paths=("a",), files=("a.log",), processes=(process,)))
    assert analysis.diagnosis.findings[0].severity == "info"
    assert analysis.summary.seconds_lost in (None, 0)


def test_places_that_reach_the_limit_are_a_warning() -> None:
    # GIVEN as many places as a function may have compiles
    places = [
        called(number, [SCRIPT, ("forward", 20 + number, ATTENTION)], (4,) * (2 + number),
               None if number == 0 else RANK.format(2, 2 + number))
        for number in range(8)
    ]  # fmt: skip
    given_up = replace(
        called(8, [SCRIPT, ("forward", 40, ATTENTION)], (4,) * 12, RANK.format(2, 12)),
        fail_type="FailOnRecompileLimitHit",
        fail_reason="recompile_limit reached",
    )
    process = Process(
        index=0, file="a.log", rank=None, pid=1, records=9, recorded=True,
        compiles=(*places, given_up),
    )  # fmt: skip
    found = analyze(Run(paths=("a",), files=("a.log",), processes=(process,))).diagnosis.findings
    (told,) = (one for one in found if one.code == "CA720")
    assert told.severity == "warning"
    assert "hit recompile_limit" in told.message
    assert "compile the model that calls" in told.fix
    # How many more places there are is not known: one is named that is far above the limit.
    assert "recompile_limit = 64" in told.fix


def test_a_limit_that_something_else_reached_is_not_of_the_places() -> None:
    # GIVEN two places, and a list that gets longer in the second until the limit is reached
    first = called(0, [SCRIPT, ("forward", 20, ATTENTION)], (4, 4))
    second = called(1, [SCRIPT, ("forward", 21, ATTENTION)], (4,) * 3, RANK.format(2, 3))
    longer = [
        called(
            number, [SCRIPT, ("forward", 21, ATTENTION)], (4,) * 3,
            f"len(G['kept']) == {number - 1}",
        )
        for number in range(2, 9)
    ]  # fmt: skip
    given_up = replace(longer[-1], fail_type="Unsupported", fail_reason="recompile_limit reached")
    process = Process(
        index=0, file="a.log", rank=None, pid=1, records=9, recorded=True,
        compiles=(first, second, *longer[:-1], given_up),
    )  # fmt: skip
    found = analyze(Run(paths=("a",), files=("a.log",), processes=(process,))).diagnosis.findings
    (told,) = (one for one in found if one.code == "CA720")
    assert told.severity == "info"
    assert "limit" not in told.message + told.fix


def test_modules_that_are_given_longer_tuples_do_not_differ_in_their_sizes() -> None:
    # GIVEN nine layers of one class, each called once with a shorter tuple of tensors
    layers = [
        called(
            number, [SCRIPT], (4, 8), None if number == 0 else f"len(inputs) == {12 - number}",
            self={"type": "pipe.Decode", "identity": number}, inputs={"type": "tuple"},
        )
        for number in range(9)
    ]  # fmt: skip
    given_up = replace(
        layers[-1], fail_type="FailOnRecompileLimitHit", fail_reason="recompile_limit reached"
    )
    process = Process(
        index=0, file="a.log", rank=None, pid=1, records=9, recorded=True,
        compiles=(*layers[:-1], given_up),
    )  # fmt: skip
    analysis = analyze(Run(paths=("a",), files=("a.log",), processes=(process,)))
    (told,) = analysis.diagnosis.findings
    assert told.code == "CA710"
    assert "the length of `inputs`" in told.message
    assert told.fix.startswith("pass each module what it uses of `inputs`")
    # They reached the limit: that is no cost that every program of their kind has.
    assert not analysis.summary.inherent_recompiles
