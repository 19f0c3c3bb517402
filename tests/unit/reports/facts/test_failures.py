"""Exceptions out of compiles: each once, with what it came from and what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.failures import failures, is_of_tracing, of_compiles
from ca_reports.output.runs import headline
from ca_reports.run.model import End, Failure, Frame, Hazard, Process, Recorded, Run
from tests.unit.reports.made import captured, compiled

CALL = Frame("/t/train.py", 30, "main", "loss.backward()")
CODE = Frame("/t/train.py", 4, "step", "")
OUTSIDE = Frame("/t/train.py", 20, "main", "step(x)")
REASON = "backend='inductor' raised:\nRuntimeError: no compiler"
TEXT = f"BackendCompilerFailed: {REASON}"
FAILED: dict[str, Any] = {
    "fail_type": "BackendCompilerFailed",
    "fail_reason": REASON,
    "failed": "raised",
    "code": CODE,
    "location": CODE,
    "stack": (OUTSIDE, CODE),
}


def ended(text: str | None, **more: Any) -> End:
    kind = None if text is None else text.partition(":")[0]
    return End(1.0, 1, 0, 0, 0, 1, kind, text, (OUTSIDE,), **more)


def run_of(process: Process, exit_code: int | None = None) -> Run:
    recorded = Recorded("run", exit_code=exit_code)
    return Run(("t.log",), ("t.log",), (process,), recorded=(recorded,))


def process_of(*compiles: Any, end: End | None = None, **more: Any) -> Process:
    return Process(0, "t.log", None, 1, 9, recorded=True, compiles=compiles, end=end, **more)


def the_one(process: Process, exit_code: int | None = None) -> Failure:
    (found,) = failures(process, run_of(process, exit_code))
    return found


def test_a_compile_that_ended_the_process_is_one_exception_not_two() -> None:
    more = "\n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace"
    found = the_one(process_of(compiled("0/0", **FAILED), end=ended(TEXT + more)))

    assert (found.stage, found.outcome, found.type) == ("compile", "ended", "BackendCompilerFailed")
    assert (found.compile_id, found.function) == ("0/0", "step")
    assert (found.location, found.called_from) == (CODE, OUTSIDE)


@pytest.mark.parametrize(
    ("end", "exit_code", "outcome"),
    [
        (ended(None), 0, "caught"),
        (ended("KeyError: 1"), 1, "caught"),
        # It may have been printed, and the exit code given.
        (ended(None), 1, "unknown"),
        (None, None, "unknown"),
        (ended("SystemError: it failed", error_origin="compile", error_cause=TEXT), 1, "ended"),
    ],
)
def test_what_became_of_a_compile_that_raised(
    end: End | None, exit_code: int | None, outcome: str
) -> None:
    process = process_of(compiled("0/0", **FAILED), end=end)
    (found,) = of_compiles(failures(process, run_of(process, exit_code)))

    assert found.outcome == outcome


def test_what_dynamo_kept_from_the_program_was_suppressed() -> None:
    failed = compiled("0/0", **{**FAILED, "failed": "suppressed"})
    assert the_one(process_of(failed, end=ended(None))).outcome == "suppressed"


def test_a_compile_that_is_tried_again_at_each_call_is_counted() -> None:
    tries = [compiled(f"0/{number}", **FAILED) for number in range(3)]
    assert the_one(process_of(*tries, end=ended(None))).count == 3


def test_an_error_that_dynamo_wraps_is_the_one_of_the_compile() -> None:
    failed = compiled("0/0", **{**FAILED, "fail_type": "KeyError", "fail_reason": "'x'"})
    text = "InternalTorchDynamoError: KeyError: 'x'\n\nfrom user code:\n"
    found = the_one(process_of(failed, end=ended(text)))

    assert (found.stage, found.outcome) == ("compile", "ended")


def test_a_captured_backward_is_known_by_its_compile() -> None:
    text = f"{TEXT}\n\nfrom user code:"
    hazard = Hazard(
        0, "t.log", 5, "backward_failed", step=0, capture=0, error=text,
        error_origin="compile", stack=(CALL,),
    )  # fmt: skip
    failed = compiled("!0/1/0", **{**FAILED, "location": CALL, "stack": (CALL,)})
    process = process_of(failed, end=ended(text), captures=(captured(0),), hazards=(hazard,))
    found = the_one(process)

    assert (found.stage, found.outcome, found.count) == ("compile", "ended", 1)
    assert (found.capture, found.compile_id, found.in_backward) == (0, "!0/1/0", True)
    assert found.called_from == CALL


@pytest.mark.parametrize("origin", [None, "program"])
def test_an_exception_of_the_programs_own_is_none_of_a_compile(origin: Any) -> None:
    hazard = Hazard(
        0, "t.log", 5, "backward_failed", step=0, capture=0, error="ValueError: no",
        error_origin=origin, stack=(CALL,),
    )  # fmt: skip
    end = ended("ValueError: no", error_origin=origin)
    process = process_of(compiled("0/0"), end=end, hazards=(hazard,))

    assert of_compiles(failures(process, run_of(process))) == ()
    analysis = analyze(run_of(process, 1))
    assert analysis.diagnosis.findings == ()
    told = headline(analysis.run, analysis.summary)
    assert (told.text, told.tone) == (
        "No recompiles before the program ended with ValueError.",
        "neutral",
    )


@pytest.mark.parametrize(("line", "is_crash"), [(CALL, True), (OUTSIDE, False)])
def test_what_autograd_raises_in_a_captured_backward_is_a_crash(
    line: Frame, *, is_crash: bool
) -> None:
    """The program's stack ends in the call of the backward; where a hook raised, in the hook."""
    text = "RuntimeError: modified by an inplace operation"
    end = replace(ended(text, error_origin="program"), error_stack=(OUTSIDE, line))
    own = replace(captured(0), stack=(OUTSIDE, CALL))
    run = run_of(process_of(end=end, captures=(own,)), 1)

    analysis = analyze(run)

    assert [one.code for one in analysis.diagnosis.findings] == (["CA610"] if is_crash else [])
    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings).text
    assert told.startswith("Crashed: running a compiled backward") is is_crash


def test_the_line_is_the_last_of_the_users_that_torch_quotes() -> None:
    reason = (
        'Constraints violated\n\nUser stack:\n  File "/t/train.py", line 6, in step\n    '
        'x.view(6)\n  File "/v/site-packages/torch/nn/module.py", line 9, in __call__\n    y\n'
    )
    failed = compiled("0/0", **{**FAILED, "fail_reason": reason})
    assert the_one(process_of(failed)).location == Frame("/t/train.py", 6, "step", "x.view(6)")


def test_exceptions_of_many_texts_are_bounded() -> None:
    many = [compiled(f"0/{n}", **{**FAILED, "fail_reason": f"{n};"}) for n in range(300)]
    process = process_of(*many)
    found = failures(process, run_of(process))

    assert len(found) == 200
    assert sum(one.count for one in found) == 300


def test_the_headline_is_the_crash_whatever_else_was_found() -> None:
    failed = compiled("0/1", "0/0: x == 1", **FAILED)
    analysis = analyze(run_of(process_of(compiled("0/0"), failed, end=ended(TEXT)), 1))
    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings)

    assert told.tone == "bad"
    assert told.text == (
        "Crashed: compiling `step` raised BackendCompilerFailed: backend='inductor' raised: "
        "RuntimeError: no compiler."
    )


def test_a_log_that_does_not_say_how_it_ended_is_no_crash_and_no_all_clear() -> None:
    process = replace(process_of(compiled("0/0", **FAILED)), recorded=False)
    analysis = analyze(Run(("t.log",), ("t.log",), (process,)))
    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings)

    assert (told.text, told.tone) == ("Compiling `step` raised BackendCompilerFailed.", "bad")


def test_a_compile_that_was_caught_is_a_warning_and_no_crash() -> None:
    analysis = analyze(run_of(process_of(compiled("0/0", **FAILED), end=ended(None)), 0))
    (finding,) = analysis.diagnosis.findings

    assert (finding.code, finding.severity) == ("CA610", "warning")
    assert finding.message.endswith("; the program caught it")
    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings)
    assert told.text == "No recompiles, but 1 other problem."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('IndexError: x\n\nfrom user code:\n   File "<eval_with_key>.0", line 5', True),
        ('IndexError: x\n\nfrom user code:\n   File "train.py", line 5', False),
        ("IndexError: <eval_with_key>", False),
    ],
)
def test_what_dynamo_raises_as_it_traces_a_captured_graph(text: str, expected: bool) -> None:
    assert is_of_tracing(text) is expected


@pytest.mark.parametrize("stage", ["compile", "graph"])
def test_an_interrupted_compile_is_no_fault_of_the_program(stage: Any) -> None:
    interrupted = {**FAILED, "fail_type": "KeyboardInterrupt", "fail_reason": ""}
    end = ended("KeyboardInterrupt: ", error_origin=stage)
    process = process_of(compiled("0/0", **interrupted), end=end)
    analysis = analyze(run_of(process))

    assert not analysis.diagnosis.findings
    assert headline(analysis.run, analysis.summary).text == (
        "No recompiles before the program ended with KeyboardInterrupt."
    )
