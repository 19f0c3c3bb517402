"""Recompiles for sizes that a warm-up asks for."""

from __future__ import annotations

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


def run(*, dropped: bool | None, sizes: Any, calls: list[tuple[str, int]], extra: str = "") -> Any:
    made = [
        replace(
            compiled(number, *reasons, time=float(number)),
            held=RecordedGuards(stack=(OPEN,), is_dropped=dropped),
            settings=CompilerSettings(sizes=sizes),
        )
        for number, reasons in enumerate(
            (
                (),
                ("tensor 'x' size mismatch at index 0. expected 2, actual 4",),
                (extra or "tensor 'x' size mismatch at index 0. expected 4, actual 8",),
            )
        )
    ]
    noted = [CompiledCall(0, 2.5, 0.1, WARM)]
    noted += [CompiledCall(0, 3.0 + at, 0.1, place) for at, place in enumerate(calls)]
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True,
        compiles=tuple(made), calls=tuple(noted),
    )  # fmt: skip
    return analyze(Run(paths=("a",), files=("trace.log",), processes=(process,)))


def test_sizes_that_are_warmed_up_are_chosen() -> None:
    analysis = run(dropped=True, sizes="static", calls=[WARM, SERVED, SERVED])

    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA102", "info", True)
    assert "2, 4, 8" in found.message
    assert not found.remedy.edits
    assert analysis.summary.inherent_recompiles == 2
    assert analysis.summary.seconds_lost == 0


@pytest.mark.parametrize(
    "parts",
    [
        # A step whose result nobody takes, called from one line in the training.
        {"calls": [WARM, WARM, WARM]},
        {"calls": [SERVED, WARM, SERVED]},
        {"calls": []},
        # What the compiling calls give is used.
        {"dropped": False},
        {"dropped": None},
        # Sizes that are dynamic at their second value are not asked for one by one.
        {"sizes": "automatic"},
        {"extra": "n == 3"},
    ],
)
def test_sizes_that_real_calls_bring_are_not(parts: dict[str, Any]) -> None:
    analysis = run(**{"dropped": True, "sizes": "static", "calls": [SERVED, SERVED], **parts})
    assert not analysis.facts[0].warm_ups
    assert not any(one.is_note for one in analysis.diagnosis.findings)
