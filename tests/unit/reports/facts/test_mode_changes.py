"""Recompiles for another mode: phases of the program, or one step that flips it."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import pytest

from ca_engine.guards import parse
from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.mode_changes import is_mode
from ca_reports.output.runs import run_totals
from ca_reports.program.files import RecordedSource
from ca_reports.program.stack import FunctionPass
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, CompiledCall, End, Frame, GraphSizes, Process, Run
from ca_reports.words.numbers import counted
from tests.unit.reports.causes.rules.recompiled import CODE, NO_GRAD, calling, compiled, explained

DROPOUT = "self._modules['drop'].training == True"
TRAINED = compiled(0, **calling(20))


@pytest.mark.parametrize(
    "compiles",
    [
        # Training, then an evaluation under no_grad.
        (TRAINED, compiled(1, NO_GRAD, **calling(30))),
        # With dropout, which torch names as well.
        (compiled(0), compiled(1, DROPOUT)),
        # train() with gradients, eval() without, eval() with them.
        (TRAINED, compiled(1, NO_GRAD, **calling(30)), compiled(2, NO_GRAD, DROPOUT)),
        # Evaluation first, as a trainer's sanity check does.
        (TRAINED, compiled(1, NO_GRAD, **calling(30)), compiled(2, NO_GRAD, NO_GRAD, **calling(9))),
    ],
)
def test_an_evaluation_variant_is_no_loss(compiles: tuple[Compile, ...]) -> None:
    analysis = explained(*compiles)

    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity) == ("CA715", "info")
    assert not found.seconds
    assert analysis.summary.forward_recompiles == len(compiles) - 1
    assert analysis.summary.inherent_recompiles == len(compiles) - 1
    assert analysis.summary.seconds_lost == 0
    told = run_totals(analysis.run, analysis.summary, analysis.diagnosis.findings)
    number = counted(len(compiles) - 1, "recompile")
    assert told.startswith(f"{number} (for another mode), {2 * len(compiles) - 2}.0 s.")
    assert f"; {number} (for another mode);" in told


def test_an_evaluation_of_other_sizes_is_one_still() -> None:
    # GIVEN a module's mode, which torch looks at after the sizes once these have failed
    (found, *_) = explained(
        compiled(0),
        compiled(1, "tensor 'x' size mismatch at index 1. expected 24, actual 20"),
        compiled(2, DROPOUT, "tensor 'x' size mismatch at index 1. expected 24, actual 18"),
    ).diagnosis.findings[::-1]

    assert (found.code, found.compile_ids) == ("CA715", ("0/2",))


def test_an_evaluation_that_keeps_gradients_beside_one_that_does_not_is_named() -> None:
    call = Frame("/work/train.py", 34, "hardest", "guess = model(x)")

    def of(gradients: bool, line: int = 34) -> RecordedGuards:
        return RecordedGuards(gradients=gradients, stack=(replace(call, line=line),))

    first = replace(TRAINED, held=of(True))
    quiet = replace(compiled(1, NO_GRAD, **calling(30)), held=of(False, 30))
    loud = replace(compiled(2, NO_GRAD, DROPOUT), held=of(True))
    loud = replace(loud, recompile_reason=(loud.recompile_reason or "").replace(NO_GRAD, DROPOUT))
    both = explained(first, quiet, loud).diagnosis.findings
    assert {one.compile_ids for one in both} == {("0/1",), ("0/2",)}
    (named,) = (one for one in both if one.key == "with gradients")
    assert (named.severity, named.location, named.compile_ids) == ("info", call, ("0/2",))
    assert "torch.no_grad()" in named.fix
    # With gradients alone there is one variant, and it is to be.
    (alone,) = explained(first, replace(compiled(1, DROPOUT), held=of(True))).diagnosis.findings
    assert alone.key != "with gradients"


@pytest.mark.parametrize(("warmed", "answered"), [(False, True), (True, False)])
def test_another_thread_is_no_evaluation(warmed: bool, answered: bool) -> None:
    # GIVEN a model that is warmed up in the main thread, and called by a pool in another grad mode
    def of(gradients: bool, line: int, **fields: Any) -> RecordedGuards:
        call = Frame("/work/train.py", line, "answer", "model(x)")
        return RecordedGuards(gradients=gradients, stack=(call,), **fields)

    first = replace(TRAINED, held=of(warmed, 20, training=False), time=1.0)
    second = compiled(1, NO_GRAD, time=2.0, **calling(42))
    elsewhere = replace(second, held=of(answered, 42, training=False, thread="pool_0"))
    analysis = explained(first, elsewhere)

    # THEN the thread that keeps gradients is named, and the compile counts
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity) == ("CA112", "warning")
    assert "grad mode of its own" in found.message
    assert (found.location.line, analysis.summary.inherent_recompiles) == (
        42 if answered else 20,
        0,
    )

    # What is an evaluation by the model's mode is one in another thread, too.
    trained = replace(first, held=of(warmed, 20, training=True))
    (found,) = explained(trained, elsewhere).diagnosis.findings
    assert found.code == "CA715"


def test_the_evaluation_of_several_functions_is_said_once() -> None:
    evaluated = compiled(1, NO_GRAD, **calling(30))
    found = explained(
        TRAINED,
        replace(TRAINED, compile_id="1/0"),
        evaluated,
        replace(evaluated, compile_id="1/1", recompile_reason=f"1/0: {NO_GRAD}"),
    ).diagnosis.findings

    (variant,) = found
    assert (variant.code, variant.compile_ids) == ("CA715", ("0/1", "1/1"))
    assert variant.message.startswith("`f` and 1 more function are compiled with gradients and")


CHECKPOINT = "/v/lib/python3.11/site-packages/torch/utils/checkpoint.py"
OFFLOADED = "/work/offloading.py"
APPLIED = Frame("/work/model.py", 36, "forward", "h = checkpoint(block, h, use_reentrant=True)")


def within(file: str, *, is_backward: bool) -> FunctionPass:
    method = Frame(file, 300, "backward" if is_backward else "forward", "")
    return FunctionPass(method, None if is_backward else APPLIED)


def recomputed(file: str) -> tuple[Compile, Compile]:
    return (
        compiled(0, within=within(file, is_backward=False), **calling(20)),
        compiled(1, NO_GRAD, within=within(file, is_backward=True), **calling(22)),
    )


def test_a_reentrant_checkpoint_is_no_evaluation() -> None:
    analysis = explained(*recomputed(CHECKPOINT))

    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.location) == ("CA112", "warning", APPLIED)
    assert "use_reentrant=False" in found.fix
    assert analysis.summary.forward_recompiles == 1
    assert found.seconds == 2.0


def test_blocks_of_several_codes_in_one_checkpoint_are_one_cause() -> None:
    first, second = recomputed(CHECKPOINT)
    others = (
        replace(first, compile_id="1/0"),
        replace(second, compile_id="1/1", recompile_reason=f"1/0: {NO_GRAD}"),
    )
    (found,) = explained(first, second, *others).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA112", ("0/1", "1/1"))


def test_only_some_blocks_may_be_checkpointed() -> None:
    # GIVEN a block that runs as it is, then another of its class that is checkpointed
    plain = compiled(0, **calling(18))
    (first, _) = recomputed(CHECKPOINT)
    checkpointed = replace(first, compile_id="0/1", recompile_reason=f"0/0: {NO_GRAD}")
    (found,) = explained(plain, checkpointed).diagnosis.findings
    assert (found.code, found.location) == ("CA112", APPLIED)


def test_a_function_of_the_programs_own_that_computes_again_is_named() -> None:
    (found,) = explained(*recomputed(OFFLOADED)).diagnosis.findings
    assert found.code == "CA112"
    assert "checkpoint(…, use_reentrant=False)" in found.fix


def test_what_a_backward_runs_after_an_evaluation_is_the_training() -> None:
    # GIVEN an evaluation, which runs the blocks without gradients, before the first step
    evaluated = compiled(0, **calling(12))
    (_, again) = recomputed(CHECKPOINT)
    # THEN no option of checkpoint would save the compile of the training
    (found,) = explained(evaluated, again).diagnosis.findings
    assert found.code == "CA715"


def held(line: int, *, gradients: bool, training: bool) -> RecordedGuards:
    call = Frame("/work/train.py", line, "main", "")
    return RecordedGuards(gradients=gradients, training=training, stack=(call,))


def stepped(
    *compiles: Compile,
    starts: tuple[float, ...] = (),
    end: End | None = None,
    sizes: tuple[GraphSizes, ...] = (),
    source: str = "",
) -> Any:
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True, compiles=compiles,
        step_starts=array("d", starts), end=end, graph_sizes=sizes,
    )  # fmt: skip
    kept = {"/work/train.py": RecordedSource("", source)} if source else {}
    run = Run(paths=("a",), files=("trace.log",), processes=(process,), source=kept)
    return analyze(run)


def flipped(line: int, *, at: float, training: bool = True) -> tuple[Compile, Compile]:
    first, again = compiled(0, time=10.0), compiled(1, NO_GRAD, time=at)
    return (
        replace(first, held=held(20, gradients=True, training=True)),
        replace(again, held=held(line, gradients=False, training=training)),
    )


def test_another_line_that_turns_gradients_off_is_a_phase() -> None:
    (found,) = stepped(*flipped(30, at=11.0)).diagnosis.findings
    assert (found.code, found.severity) == ("CA715", "info")
    assert "with gradients and without" in found.message
    assert "train.py:30" in found.fix


def test_a_module_in_another_mode_is_a_phase() -> None:
    # The loop over phases of many tutorials: one line, `model.train(phase == "train")`.
    (found,) = stepped(*flipped(20, at=11.0, training=False)).diagnosis.findings
    assert found.code == "CA715"
    assert "for training and for evaluation" in found.message


def test_a_part_of_a_model_that_stops_to_train_is_no_evaluation() -> None:
    # `norm.eval()` in the course of the training: the model trains, and gradients are kept.
    training = held(20, gradients=True, training=True)
    first, frozen, evaluated = compiled(0, time=10.0), compiled(1, DROPOUT, time=15.0), None
    for gradients, mode, code in ((True, True, "CA703"), (True, False, "CA715")):
        evaluated = replace(frozen, held=held(20, gradients=gradients, training=mode))
        (found,) = stepped(replace(first, held=training), evaluated).diagnosis.findings
        assert found.code == code


def test_what_is_no_evaluation_is_told_apart_with_its_lines() -> None:
    # GIVEN one function that is evaluated, and two that only lose their gradients
    evaluated = flipped(20, at=11.0, training=False)
    quiet = [
        replace(
            one,
            compile_id=f"{number}/{one.compile_id[-1]}",
            location=replace(CODE, line=line),
            recompile_reason=(one.recompile_reason or "").replace("0/0", f"{number}/0") or None,
        )
        for number, line in ((1, 30), (2, 40))
        for one in flipped(line, at=11.0)
    ]

    found = stepped(*evaluated, *quiet).diagnosis.findings

    told = {one.compile_ids: one for one in found}
    assert {one.code for one in found} == {"CA715"}
    assert "for training and for evaluation" in told["0/1",].message
    assert told["0/1",].fix == "nothing: each mode is compiled once"
    assert "with gradients and without" in told["1/1", "2/1"].message
    assert "(train.py:30, train.py:40)" in told["1/1", "2/1"].fix


def test_a_stretch_of_steps_is_a_phase() -> None:
    (found,) = stepped(*flipped(20, at=15.0), starts=(11.0, 12.0, 13.0)).diagnosis.findings
    assert found.code == "CA715"


@pytest.mark.parametrize("starts", [(), (12.0,), (9.0, 10.9, 16.0)])
def test_grad_mode_that_flips_on_one_line_of_a_step_is_a_loss(starts: tuple[float, ...]) -> None:
    analysis = stepped(*flipped(20, at=11.0), starts=starts)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.count) == ("CA112", "warning", 1)
    assert found.location is not None
    assert found.location.line == 20
    assert analysis.summary.forward_recompiles == 1


def test_a_log_that_does_not_say_who_called_says_so() -> None:
    # GIVEN torch's own texts, which have the guard only
    analysis = explained(compiled(0), compiled(1, NO_GRAD), recorded=False)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.confidence) == ("CA112", "info", "low")
    assert "not in this log" in found.message
    assert {"evaluation", "use_reentrant=False"} <= set(found.fix.replace("`", "").split())
    # THEN it is counted: nobody knows that it had to be
    assert analysis.summary.forward_recompiles == 1


ENDED = End()


@pytest.mark.parametrize(
    ("inference", "mode"),
    [
        (True, "under `torch.inference_mode()`,"),
        (False, "under `torch.no_grad()`,"),
        (None, " or "),
    ],
)
def test_a_warm_up_in_another_mode_is_no_training(inference: bool | None, mode: str) -> None:
    first, again = flipped(30, at=11.0)
    assert again.held is not None
    measured = replace(again, held=replace(again.held, inference=inference))

    # GIVEN a warm-up that keeps gradients, or one that keeps none before calls that do
    keeping = replace(again, held=first.held)
    for compiles in ((first, measured), (replace(first, held=measured.held), keeping)):
        analysis = stepped(*compiles, end=ENDED)

        # THEN it counts, and the line that keeps gradients is the one to edit
        (found,) = analysis.diagnosis.findings
        assert (found.code, found.severity) == ("CA112", "warning")
        assert (found.location.line, analysis.summary.inherent_recompiles) == (20, 0)
        assert mode in found.fix
        assert "(train.py:30)" in found.message


@pytest.mark.parametrize(
    ("starts", "end", "training"),
    [
        ((10.5,), ENDED, True),  # the backward of the call with gradients
        ((12.0,), ENDED, True),  # evaluated before it is trained
        ((), None, True),  # still running, or killed
        ((), End(error="KeyError"), True),  # failed before its first backward
        ((), ENDED, False),  # trained elsewhere, evaluated here
    ],
)
def test_gradients_that_may_be_taken_are_of_a_training(
    starts: tuple[float, ...], end: End | None, training: bool
) -> None:
    compiles = flipped(30, at=11.0, training=training)
    (found,) = stepped(*compiles, starts=starts, end=end).diagnosis.findings
    assert found.code == "CA715"


def test_what_is_a_mode() -> None:
    texts = (NO_GRAD, DROPOUT, "GLOBAL_STATE changed: num_threads", "n == 1")
    assert [is_mode(parse(text)[0]) for text in texts] == [True, True, False, False]


def probed(*, calls: tuple[float, ...], starts: tuple[float, ...]) -> Any:
    """A training, its evaluation without gradients, and one that keeps them, at 30 seconds."""
    trained = replace(compiled(0, time=10.0), held=held(20, gradients=True, training=True))
    quiet = replace(compiled(1, NO_GRAD, time=20.0), held=held(30, gradients=False, training=False))
    loud = replace(
        compiled(2, NO_GRAD, DROPOUT, time=30.0), held=held(40, gradients=True, training=False)
    )
    # Dynamo looks at the mode of the module before grad mode, where both differ.
    loud = replace(loud, recompile_reason=f"0/0: {DROPOUT}\n0/1: {NO_GRAD}")
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True,
        compiles=(trained, quiet, loud), step_starts=array("d", starts),
        calls=tuple(CompiledCall(1, time, 0.1) for time in calls),
    )  # fmt: skip
    return analyze(Run(paths=("a",), files=("trace.log",), processes=(process,)))


@pytest.mark.parametrize(
    ("calls", "starts"),
    [((29.0, 31.0, 39.0), (11.0, 40.0)), ((29.0, 31.0), (11.0,)), ((29.0,), ())],
)
def test_a_probe_that_keeps_gradients_is_a_loss(
    calls: tuple[float, ...], starts: tuple[float, ...]
) -> None:
    found = {one.compile_ids: one for one in probed(calls=calls, starts=starts).diagnosis.findings}
    probe = found["0/2",]
    assert (probe.code, probe.severity) == ("CA112", "warning")
    assert probe.location is not None
    assert probe.location.line == 40
    assert found["0/1",].severity == "info"


@pytest.mark.parametrize(
    ("calls", "starts"),
    # An attack, whose backward comes next; and a recording that did not note any calls.
    [((29.0, 41.0), (11.0, 30.5, 42.0)), ((), (11.0, 40.0))],
)
def test_gradients_that_a_backward_takes_are_kept_for_it(
    calls: tuple[float, ...], starts: tuple[float, ...]
) -> None:
    found = probed(calls=calls, starts=starts).diagnosis.findings
    assert {(one.code, one.severity) for one in found} == {("CA715", "info")}


SAMPLED = Frame("/work/sample.py", 8, "sample", "")
TRAINS_AND_SAMPLES = """import torch

def main():
    model = Net()
    {made}
    for step in range(9):
        loss = {name}(x).sum()
        if step % 4 == 3:
            show({name}, prefix)
"""


def called_with(*lengths: int) -> tuple[GraphSizes, ...]:
    """The training's graph, of one length, and that of the calls without gradients."""
    nothing = (None,) * len(lengths)
    return (
        GraphSizes("0/0", {"ids": (4, 16)}, (), ((),), (9,), (None,), (None,)),
        GraphSizes(
            "0/1", {"ids": (2, "s0")}, ("s0",), tuple((one,) for one in lengths),
            (2,) * len(lengths), nothing, nothing,
        ),
    )  # fmt: skip


def sampling(*lengths: int, starts: tuple[float, ...] = (9.0, 20.0), source: str = "") -> Any:
    first, again = flipped(9, at=15.0, training=False)
    way = (Frame("/work/train.py", 9, "main", ""), SAMPLED)
    trained = held(7, gradients=True, training=True)
    without = replace(held(9, gradients=False, training=False), stack=way)
    return stepped(
        replace(first, held=trained),
        replace(again, held=without),
        starts=starts,
        sizes=called_with(*lengths),
        source=source,
    )


def test_a_sampler_between_steps_is_no_evaluation() -> None:
    analysis = sampling(2, 3, 4, 5, 6)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA715", "warning", False)
    assert "`ids` grows from 2 to 6 in dimension 1" in found.message
    assert "call `compiled._orig_mod` there" in found.fix
    # Where the way to it leaves that of the training.
    assert (found.location.line, found.noticed_at) == (9, SAMPLED)
    assert analysis.summary.seconds_lost == 2.0


@pytest.mark.parametrize(
    "parts",
    [
        # A validation of other sizes, of the training's, and one with nothing after it.
        {"lengths": (5, 9, 6, 12)},
        {"lengths": (14, 15, 16, 17)},
        {"lengths": (2, 3, 4, 5), "starts": (9.0,)},
    ],
)
def test_other_calls_without_gradients_are(parts: dict[str, Any]) -> None:
    (found,) = sampling(*parts.pop("lengths"), **parts).diagnosis.findings
    assert (found.code, found.severity) == ("CA715", "info")


@pytest.mark.parametrize(
    ("made", "name", "uncompiled"),
    [
        ("net = torch.compile(model)", "net", "`model`"),
        ("raw = model; model = torch.compile(model)", "model", "`raw`"),
        ("model = torch.compile(model)", "model", "`model._orig_mod`"),
    ],
)
def test_the_module_that_was_compiled_is_called_by_its_name(
    made: str, name: str, uncompiled: str
) -> None:
    text = TRAINS_AND_SAMPLES.format(made=made, name=name)
    analysis = sampling(2, 3, 4, 5, source=text)
    (found,) = analysis.diagnosis.findings
    assert f"call {uncompiled} there" in found.fix
