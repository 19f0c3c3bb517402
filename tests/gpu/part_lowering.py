"""Captured graphs that take the short way to their backend, compared with torch's engine.

What becomes of each graph is in the detail of each check.

A graph that takes sizes goes to inductor by Dynamo there: for any size its kernels sum in another
order. Of all others inductor is given what Dynamo gives it, under the same key of FxGraphCache.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_engine import trace
from ca_engine.lowering import modes
from tests.gpu import part_training
from tests.gpu.part_training import compare
from tests.gpu.programs import FEW, PROGRAMS
from tests.gpu.result import LeftOutError

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

BACKENDS = ("eager", "aot_eager", "inductor")


def run(settings: Settings, result: Result) -> None:
    if not modes.is_proven():
        raise LeftOutError("lowering is off with this torch")
    for backend in BACKENDS:
        if not (programs := settings.share_of(backend, PROGRAMS)):
            continue
        if backend == "inductor" and not settings.is_cuda:
            result.leave_out(backend, "make test-all compares it on the CPU")
            continue
        if backend == "inductor" and not result.has_triton(backend):
            continue
        for program in programs:
            is_quick = settings.quick and backend != "eager"
            if program not in FEW and (is_quick or not settings.is_cuda):
                continue
            compare_lowered(
                backend, program, settings.device, part_training.BACKENDS[backend], result
            )


def compare_lowered(
    backend: str, program: str, device: str, options: dict[str, Any], result: Result
) -> None:
    """Compare, and say how many of the graphs were lowered, and why others were not."""
    with tempfile.TemporaryDirectory() as folder:
        name = f"{backend}, {program}"
        with trace.written_to(Path(folder)):
            compare(name, program, device, options, result, lowering=True)
        if not any(Path(folder).iterdir()):
            return  # left out
        found = [each.lowering for each in ca_reports.load([folder]).captures if each.lowering]
    told = Counter(
        str(each.way) if each.is_lowered else f"no: {each.reason} {each.detail or ''}".strip()
        for each in found
    )
    result.facts[name] = ", ".join(f"{times} × {way}" for way, times in told.items()) or "no graph"
