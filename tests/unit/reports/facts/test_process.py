"""What is known of the events of one process together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.process import ProcessFacts, all_facts
from ca_reports.run.background import BackgroundGraph
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Capture, Change, Compile, Frame, GraphBreak
from tests.unit.reports.causes.rules.captured import captures, graph, leaf, node
from tests.unit.reports.causes.rules.recompiled import compiled as compiled_again
from tests.unit.reports.causes.rules.recompiled import explained
from tests.unit.reports.made import LINE, captured, compiled, ran, run_of

OTHER = Frame("/t/train.py", 9, "main", "penalty.backward()")


def facts(*made: Capture, compiles: tuple[Compile, ...] = (), **more: Any) -> ProcessFacts:
    (found,) = all_facts(run_of(*made, compiles=compiles, **more))
    return found


def test_the_first_captures_of_each_line() -> None:
    found = facts(captured(0), captured(1, line=OTHER), captured(2), captured(3, stack=()))
    assert found.first_from == {("/t/train.py", 7): 0, ("/t/train.py", 9): 1}
    assert [one.is_first_of_line for one in found.captures] == [True, True, False, False]


def test_a_recompile_of_a_forward_brings_the_captures_that_come_next() -> None:
    compiles = (
        compiled("0/0", time=99.5),
        compiled("0/1", "0/0: n == 1", time=100.5),
        compiled("0/2", "0/0: n == 1", time=103.5),
    )
    found = facts(captured(0), captured(1), captured(3), compiles=compiles)
    first, second = found.forward_recompiles
    assert [one.capture.id for one in first.caused] == [1]
    assert second.caused == ()
    assert found.graph_recompiles == ()
    assert [one.compile_id for one in found.forward_compiles_before(captured(0))] == ["0/0"]


@pytest.mark.parametrize(
    ("swapped_at", "attribute", "compiled_again", "is_one"),
    [
        (100.5, "aot_id", None, True),
        (99.5, "aot_id", None, False),  # the first capture had it already
        (None, "aot_id", None, False),
        (100.5, "shape", None, False),
        (100.5, "aot_id", "5/1", False),  # so it may be that graph's region
    ],
)
def test_a_capture_for_a_forward_that_inductor_took_over(
    swapped_at: float | None, attribute: str, compiled_again: str | None, is_one: bool
) -> None:
    change = Change(3, "CompiledFunctionBackward", attribute, 1, 2)
    graphs = [BackgroundGraph(graph="0/0", state="ready", time=swapped_at)]
    others = () if compiled_again is None else (compiled(compiled_again, time=100.6),)
    run = run_of(
        captured(0),
        captured(1, changes=(change,)),
        compiles=(compiled("0/0", time=100.6), *others),
    )
    (process,) = run.processes
    run = replace(run, processes=(replace(process, background=tuple(graphs)),))
    (found,) = all_facts(run)
    assert [one.capture.id for one in found.swapped_forwards] == [1] * is_one
    assert [one.capture.id for one in found.recaptures] == [1] * (not is_one)
    assert list(found.inherent.values()) == ["swap"] * is_one


def test_what_an_evaluation_was_compiled_for_brings_no_backward() -> None:
    # GIVEN an evaluation between two steps, before the one that a value recompiles
    grad_mode = "0/0: GLOBAL_STATE changed: grad_mode"
    call = Frame("/work/train.py", 30, "evaluate", "model(x)")
    evaluated = compiled(
        "0/1", grad_mode, time=100.5, held=RecordedGuards(gradients=False, stack=(call,))
    )
    trained = compiled("0/2", "0/0: n == 1", time=100.6, held=RecordedGuards(gradients=True))
    aot = Change(3, "CompiledFunctionBackward", "aot_id", 0, 2)
    both = (
        compiled("0/0", time=99.5, stack=(Frame(call.file, 20, "main", ""),)),
        evaluated,
        trained,
    )
    made = (captured(0), captured(1, changes=(aot,)))

    # WHEN the captures are told apart by what brought them
    found = facts(*made, compiles=both)

    # THEN the step's compile did, and that of the evaluation is one that every program has
    assert [len(one.caused) for one in found.forward_recompiles] == [0, 1]
    assert [one.compiled.compile_id for one in found.evaluation_variants] == ["0/1"]
    codes = {one.code for one in analyze(run_of(*made, compiles=both)).diagnosis.findings}
    assert codes == {"CA401", "CA715"}
    # With nothing else that was compiled, it stays what is known.
    (alone,) = facts(*made, compiles=both[:2]).forward_recompiles
    assert len(alone.caused) == 1


def test_the_step_of_a_time_is_the_one_that_ran_or_came_next() -> None:
    found = facts(captured(0), backwards=ran(0, 0, 0))  # from 100.0 + step, for 0.9 s
    assert [found.step_at(time) for time in (None, 99.0, 100.5, 100.95, 200.0)] == [
        None, 0, 0, 1, None,
    ]  # fmt: skip
    assert found.last_step == 2
    assert facts(captured(0)).last_step is None


def test_functions_that_are_compiled_anew_in_a_loop() -> None:
    def made(*ids: str, **more: Any) -> tuple[Compile, ...]:
        return tuple(compiled(id, time=1.0, **more) for id in ids)

    def repeated(*compiles: Compile, **more: Any) -> list[int]:
        return [len(group) for group in facts(compiles=compiles, **more).repeated_first_compiles]

    assert repeated(*made("0/0", "1/0", "2/0")) == [3]
    assert repeated(*made("0/0", "1/0")) == []
    torchs = Frame("/v/site-packages/torch/optim/adam.py", 5, "step", "")
    assert repeated(*made("0/0", "1/0", "2/0", code=torchs)) == []
    broken = GraphBreak("0/0", 0, "print", None, LINE, (LINE,), 1)
    assert repeated(*made("0/0", "1/0", "2/0"), graph_breaks=(broken,)) == []


def test_nodes_are_decoded_once_until_they_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = graph(node("MulBackward0"), leaf("w"))
    first, second = captures(nodes, nodes)
    found = facts(first, second)
    one, other = found.nodes_of(first), found.nodes_of(second)
    assert all(mine is theirs for mine, theirs in zip(one, other, strict=True))
    found.forget_nodes()
    again = found.nodes_of(first)
    assert again == one
    assert again[0] is not one[0]
    monkeypatch.setattr("ca_reports.facts.process._MOST_NODES", 1)
    assert found.nodes_of(second) == one


def test_a_recompile_that_raised_is_evidence_of_the_crash_and_no_cause_beside_it() -> None:
    # GIVEN a number for which a function was compiled again, which raised
    error = {"fail_type": "BackendCompilerFailed", "fail_reason": "no kernel for this"}
    raised = compiled_again(1, "k == 2", failed="raised", **error)
    found = explained(compiled_again(0), raised).diagnosis.findings

    # THEN the exception is the one thing to mend, and the guard says what led to it
    assert [one.code for one in found] == ["CA610"]
    assert "0/1: k == 2" in [one.text for one in found[0].evidence]

    # and where Dynamo kept the exception from the program the number is told
    kept = explained(compiled_again(0), replace(raised, failed="suppressed"))
    assert "CA701" in {one.code for one in kept.diagnosis.findings}
