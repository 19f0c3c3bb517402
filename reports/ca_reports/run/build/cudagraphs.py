"""Recordings of CUDA graphs, from torch's chromium events, and why there were none.

torch 2.11 to 2.15 (``torch/_inductor/cudagraph_trees.py``) put each recording between two events
named ``CUDAGraphNode.record``, whose ``args`` hold the ``compile_id`` of the graph that is
recorded. The compiled code keeps one CUDA graph for each set of sizes and each place of its
inputs in memory, so one compile can have many.

Why a graph runs without one (``torch/_inductor/cudagraph_utils.py``) stands in the compile's
metrics, and under TORCH_LOGS in the text: ``skipping cudagraphs due to mutated inputs (2
instances). Found from :`` and the frames of the user's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_engine.tracebacks import frames_in
from ca_reports.logs.fields import mapping, number, text
from ca_reports.program.stack import own_frame
from ca_reports.run.model import CudaGraph, CudaGraphSkip, Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.run.model import Compile

EVENT = "CUDAGraphNode.record"
# Torch puts it before a reason that may begin with it.
_SKIPPING = expression(r"(?:(?:skipping|disabling) cudagraphs due to )+")
_FOUND_FROM = expression(r"\.? ?Found from ?:?")


class CudaGraphs:
    """The recordings of one process, in the order in which they ended; at most ``bound``."""

    def __init__(self, bound: int) -> None:
        """Nothing was recorded yet."""
        self._bound = bound
        self._began: float | None = None
        self._found: list[tuple[str, float, float, int]] = []
        self._skips: list[CudaGraphSkip] = []

    def add(self, event: Mapping[str, Any], line: int) -> float | None:
        """Take one event of that name; return its time in seconds, None if it has none."""
        micro = number(event.get("ts"))
        if micro is None:
            return None
        time = micro / 1e6
        if event.get("ph") == "B":
            self._began = time
        elif event.get("ph") == "E" and self._began is not None:
            compile_id = text(mapping(event.get("args")).get("compile_id"))
            # torch writes "None" where it does not know.
            if compile_id not in (None, "None") and len(self._found) < self._bound:
                self._found.append((str(compile_id), self._began, time, line))
            self._began = None
        return time

    def skip(self, said: str, compile_id: str | None, line: int) -> None:
        """Take what torch said of a graph that is run without."""
        reason, _, stack = _FOUND_FROM.sub("\0", said, count=1).partition("\0")
        reason = (
            _SKIPPING.sub("", reason).split("\n", 1)[0].strip(" .")
            or "a reason that torch does not tell"
        )
        if len(self._skips) < self._bound:
            frames = tuple(Frame(*frame) for frame in frames_in(f"\n{stack}"))
            self._skips.append(CudaGraphSkip(reason, frames, compile_id, None, line))

    def skips(self, compiles: tuple[Compile, ...]) -> tuple[CudaGraphSkip, ...]:
        """Return the graphs that are run without, each with the place of what was compiled."""
        places = {compiled.compile_id: compiled.location for compiled in compiles}
        # What a compile's metrics have, our own record has without the compile.
        known = {(one.reason, one.stack) for one in self._skips if one.compile_id}
        return tuple(
            replace(one, location=own_frame(one.stack) or places.get(one.compile_id or ""))
            for one in self._skips
            if one.compile_id or (one.reason, one.stack) not in known
        )

    def build(self, process: int, compiles: tuple[Compile, ...]) -> tuple[CudaGraph, ...]:
        """Return the recordings, each with the place of what was compiled."""
        places = {compiled.compile_id: compiled.location for compiled in compiles}
        numbers: dict[str, int] = {}
        graphs = []
        for compile_id, began, ended, line in self._found:
            place = numbers[compile_id] = numbers.get(compile_id, -1) + 1
            graphs.append(
                CudaGraph(
                    process=process,
                    compile_id=compile_id,
                    number=place,
                    time=ended,
                    seconds=max(0.0, ended - began),
                    location=places.get(compile_id),
                    line=line,
                )
            )
        return tuple(graphs)
