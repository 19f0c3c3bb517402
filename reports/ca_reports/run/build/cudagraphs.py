"""Recordings of CUDA graphs, from torch's chromium events.

torch 2.11 to 2.15 (``torch/_inductor/cudagraph_trees.py``) put each recording between two events
named ``CUDAGraphNode.record``, whose ``args`` hold the ``compile_id`` of the graph that is
recorded. The compiled code keeps one CUDA graph for each set of sizes and each place of its
inputs in memory, so one compile can have many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.logs.fields import mapping, number, text
from ca_reports.run.model import CudaGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.run.model import Compile

EVENT = "CUDAGraphNode.record"


class CudaGraphs:
    """The recordings of one process, in the order in which they ended; at most ``bound``."""

    def __init__(self, bound: int) -> None:
        """Nothing was recorded yet."""
        self._bound = bound
        self._began: float | None = None
        self._found: list[tuple[str, float, float, int]] = []

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
