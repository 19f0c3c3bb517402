"""Recompiles for what a warm-up asks for."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import CompiledCall, Frame, Process, Run
from tests.unit.reports.causes.rules.recompiled import compiled

OPEN = Frame("/work/serve.py", 22, "open", "self.model(zeros)")
SERVED = ("/work/serve.py", 30)
WARM = (OPEN.file, OPEN.line)
SERVING = Frame(*SERVED, "serve", "self.model(batch)")
SIZES = (
    "tensor 'x' size mismatch at index 0. expected 2, actual 4",
    "tensor 'x' size mismatch at index 0. expected 4, actual 8",
)


def run(
    *,
    dropped: bool | None,
    sizes: Any,
    calls: list[tuple[str, int]],
    reasons: tuple[str, ...] = SIZES,
    began: tuple[float, ...] = (),
    met: tuple[float, ...] = (),
    missed: tuple[int, ...] = (),
) -> Any:
    made = [
        replace(
            compiled(number, *told, time=float(number)),
            held=RecordedGuards(stack=(SERVING if number in missed else OPEN,), is_dropped=dropped),
            settings=CompilerSettings(sizes=sizes),
        )
        for number, told in enumerate(((), *((reason,) for reason in reasons)))
    ]
    noted = [CompiledCall(0, number - 0.01, 0.1, WARM) for number in range(1, len(made))]
    noted += [CompiledCall(0, at, 0.1, WARM) for at in met]
    noted += [CompiledCall(0, len(made) + at, 0.1, place) for at, place in enumerate(calls)]
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True,
        compiles=tuple(made), calls=tuple(noted), step_starts=array("d", began),
    )  # fmt: skip
    return analyze(Run(paths=("a",), files=("trace.log",), processes=(process,)))


def test_sizes_that_are_warmed_up_are_chosen() -> None:
    analysis = run(dropped=True, sizes="static", calls=[WARM, SERVED, SERVED])

    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA102", "info", True)
    assert "2, 4, 8; all of it in a warm-up" in found.message
    assert not found.remedy.edits
    assert analysis.summary.inherent_recompiles == 2
    assert analysis.summary.seconds_lost == 0


def test_so_is_whatever_else_is_compiled_there_by_whichever_rule() -> None:
    flags = ("fast == True", "exact == True")
    # A flag is compiled for whatever is said of sizes.
    analysis = run(dropped=True, sizes="automatic", reasons=flags, calls=[SERVED, SERVED])

    found = analysis.diagnosis.findings
    assert {one.code for one in found} == {"CA703"}
    assert all(one.is_note and one.severity == "info" for one in found)
    assert all(one.fix.startswith("nothing") and not one.remedy.edits for one in found)
    assert analysis.summary.seconds_lost == 0


STEPS: dict[str, Any] = {"dropped": False, "sizes": "static", "began": (0.5, 1.5, 2.5, 3.2, 4.2)}


def test_each_call_of_a_warm_up_may_be_one_backward() -> None:
    analysis = run(**STEPS, calls=[SERVED] * 6)
    (found,) = analysis.diagnosis.findings
    assert (found.code, found.is_note) == ("CA102", True)


@pytest.mark.parametrize(
    "parts",
    [
        # Steps of another line are too few to be what was warmed up for.
        {"calls": [SERVED] * 5},
        # A length comes again: these are the first steps of a training.
        {"met": (2.5,)},
        {"missed": (2,)},
        {"began": (0.5, 0.6, 1.5, 2.5, 3.2)},
        # What the calls give is used, and not for a backward.
        {"began": ()},
    ],
)
def test_steps_of_a_training_are_no_warm_up(parts: dict[str, Any]) -> None:
    analysis = run(**{**STEPS, "calls": [SERVED] * 6, **parts})
    assert not analysis.facts[0].asked_for
    assert not any(one.is_note for one in analysis.diagnosis.findings)


@pytest.mark.parametrize(
    "parts",
    [
        # A step whose result nobody takes, called from one line in the training.
        {"calls": [WARM, WARM, WARM]},
        {"calls": [SERVED, WARM, SERVED]},
        {"calls": []},
        # A size was left out, and is compiled for in a real call.
        {"missed": (2,)},
        # What the compiling calls give is used.
        {"dropped": False},
        {"dropped": None},
        # Sizes that are dynamic at their second value are not asked for one by one.
        {"sizes": "automatic"},
        # A mode is to be set as the calls that follow have it.
        {"reasons": ("GLOBAL_STATE changed: grad_mode",)},
    ],
)
def test_what_real_calls_bring_is_not(parts: dict[str, Any]) -> None:
    analysis = run(**{"dropped": True, "sizes": "static", "calls": [SERVED, SERVED], **parts})
    assert not analysis.facts[0].asked_for
    assert not any(one.is_note for one in analysis.diagnosis.findings)
