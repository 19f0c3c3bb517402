"""Captures of another backward of the program, told from those of the same one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.runs import run_totals
from ca_reports.run.model import CaptureSeconds, Frame, Recorded
from tests.unit.reports.causes.rules.captured import (
    captures,
    findings,
    graph,
    leaf,
    linear,
    node,
    ran,
    root,
)
from tests.unit.reports.made import run_of


def test_a_second_backward_call_is_only_worth_knowing() -> None:
    made = captures(
        *(graph(root(name), node(name), leaf("w")) for name in ("MeanBackward0", "NegBackward0")),
        calls=(Frame("t.py", 1, "f", ""), Frame("t.py", 2, "f", "")),
    )
    (found,) = findings(made)
    assert (found.code, found.severity, found.is_note) == ("CA209", "info", True)


def test_the_first_capture_of_another_backward_loses_nothing() -> None:
    made = captures(
        *(graph(root(name), node(name), leaf("w")) for name in ("MeanBackward0", "NegBackward0")),
        calls=(Frame("t.py", 1, "f", ""), Frame("t.py", 2, "f", "")),
    )
    made = tuple(replace(one, seconds=CaptureSeconds(capture=2.0)) for one in made)
    analysis = analyze(run_of(*made))
    assert analysis.summary.seconds_lost == 0
    assert [found.seconds for found in analysis.diagnosis.findings] == [None]
    assert run_totals(analysis.run, analysis.summary, analysis.diagnosis.findings) == (
        "1 recapture (for another backward), 2.0 s. 2 captures (1 recapture, for another backward)."
    )


def test_the_other_backward_is_named_below_where_the_script_was_started() -> None:
    folder = "/home/somebody/projects/of-this-year/two-losses-by-turns"
    calls = [Frame(f"{folder}/train.py", line, "f", "") for line in (1, 2)]
    made = captures(graph(*linear("judge.1")), LONGER, calls=(calls[0], calls[1]))
    run = run_of(*made, backwards=ran(0, 1, 0, 1))
    run = replace(run, recorded=(Recorded(folder, cwd=folder),))
    (found,) = analyze(run).diagnosis.findings
    assert found.message.startswith("a different backward from the one of train.py:1: ")


HERE, THERE = Frame("t.py", 1, "f", ""), Frame("t.py", 2, "f", "")
LONGER = graph(*linear("judge.1"), *linear("maker.1"))


def test_two_backwards_by_turns_are_two_backwards() -> None:
    made = captures(graph(*linear("judge.1")), LONGER, calls=(HERE, THERE))
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "info")
    assert found.location == THERE


def test_a_phase_that_ended_is_compared_with_the_next() -> None:
    made = captures(graph(*linear("judge.1")), LONGER, calls=(HERE, THERE))
    (found,) = findings(made, backwards=ran(0, 0, 1, 1))
    assert (found.code, found.severity) == ("CA202", "warning")


def test_the_way_to_a_helper_that_calls_backward_tells_two_backwards_apart() -> None:
    made = tuple(
        replace(one, stack=(*one.stack, Frame("steps.py", 5, "update", "loss.backward()")))
        for one in captures(graph(*linear("judge.1")), LONGER, calls=(HERE, THERE))
    )
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "info")
    assert found.noticed_at == Frame("steps.py", 5, "update", "loss.backward()")


def test_gradients_that_come_between_two_equal_backwards_are_what_differs() -> None:
    # Both backwards of a critic, on real data and on made ones: the second adds to the gradients.
    made = captures(
        graph(*linear("judge.1")), graph(*linear("judge.1", grad=True)), calls=(HERE, THERE)
    )
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA201", "info")


def test_one_line_may_call_the_backward_of_each_network() -> None:
    made = captures(graph(*linear("small.0")), graph(node("TanhBackward0"), *linear("large.0")))
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "info")


def test_another_branch_of_one_network_is_a_branch() -> None:
    made = captures(graph(*linear("net.0")), graph(node("TanhBackward0"), *linear("net.2")))
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA202", "warning")


def test_sizes_of_another_backward_are_no_varying_length() -> None:
    made = captures(
        *(
            graph(root(name), node(name, attributes={"self_sym_sizes": sizes}), leaf("net.w"))
            for name, sizes in (("SumBackward0", [4, 7]), ("MeanBackward0", [4, 9]))
        ),
        calls=(HERE, THERE),
    )
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "info")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Each task's loss begins with another operation.
        ((node("MeanBackward0"), leaf("trunk.weight")),
         (node("NllLossBackward0"), node("AddmmBackward0", carried=True), leaf("trunk.weight"))),
        # Equal losses of two heads.
        ((node("MeanBackward0"), leaf("heads.a.weight"), leaf("trunk.weight")),
         (node("MeanBackward0"), node("SumBackward0"), node("AddmmBackward0", carried=True),
          leaf("heads.b.weight"), leaf("trunk.weight"))),
    ],
)  # fmt: skip
def test_several_losses_of_one_forward_are_backwards_of_their_own(
    first: tuple[dict[str, Any], ...], second: tuple[dict[str, Any], ...]
) -> None:
    # GIVEN one line that differentiates the losses of a forward in turn
    graphs = [graph(*nodes, output=nodes[0]["name"]) for nodes in (first, second)]
    made = captures(*graphs, carried=(None, 3))

    # THEN nothing is wrong: each is captured once
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "info")


def test_a_loss_that_other_steps_differentiate_is_another_one() -> None:
    made = captures(
        graph(node("MeanBackward0"), leaf("trunk.weight"), output="MeanBackward0"),
        graph(node("NllLossBackward0"), leaf("trunk.weight"), output="NllLossBackward0"),
        carried=(None, 0),
    )
    (found,) = findings(made, backwards=ran(0, 1, 0, 1))
    assert (found.code, found.severity) == ("CA209", "warning")
