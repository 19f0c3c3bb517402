"""Estimates the cost of a run with torch's own engine, or without lowering.

Both cost time for each node of a captured graph, so an estimate is a number of nodes times a
measured cost: CPU seconds with torch 2.13.0 on one core of a server. ``python -m benchmarks.run
nodes`` measures it again and lists the programs. Another machine may take half of it or twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ca_reports.run.lowered import RecordedLowering
    from ca_reports.run.model import Capture, Run


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds: those of a typical program, and of the cheapest and costliest that were measured."""

    seconds: float
    least: float
    most: float

    def times(self, nodes: int) -> Estimate:
        """For so many nodes, if this is for one."""
        return Estimate(self.seconds * nodes, self.least * nodes, self.most * nodes)


# What torch's capture takes more than ours, for each node of the captured graph.
CAPTURE = Estimate(0.9e-3, 0.4e-3, 1.5e-3)
# What Dynamo takes more than lowering, by backend. Behind AOTAutograd nothing differs.
_AOT = Estimate(2.5e-3, 1.8e-3, 4.2e-3)
LOWERING = {"eager": Estimate(1.6e-3, 1.1e-3, 2.4e-3), "aot_eager": _AOT, "inductor": _AOT}

# What Dynamo and its backend take to compile a graph whose sizes vary, by backend: a first size as
# a constant, and then for all. ``python -m benchmarks.run sizes`` measures it.
DYNAMIC = {"aot_eager": Estimate(8.5e-3, 7.9e-3, 9.2e-3), "inductor": Estimate(26e-3, 20e-3, 32e-3)}


def torch_capture(run: Run) -> Estimate | None:
    """Return what torch's engine would add to our captures; None if ours captured nothing."""
    return _sum(
        CAPTURE.times(nodes)
        for process in run.processes
        if process.engine == "ca"
        for capture in process.captures
        if (nodes := _nodes(capture))
    )


def dynamo(captures: Iterable[Capture]) -> Estimate | None:
    """Return what Dynamo would add to what lowering took; None if nothing was lowered."""
    return _by_backend(LOWERING, captures, lambda lowering: lowering.is_lowered)


def dynamic(captures: Iterable[Capture]) -> Estimate | None:
    """Return what graphs for all sizes would cost, where each size was lowered by itself."""
    return _by_backend(DYNAMIC, captures, lambda lowering: bool(lowering.size_sets))


def _by_backend(
    costs: Mapping[str, Estimate],
    captures: Iterable[Capture],
    counts: Callable[[RecordedLowering], bool],
) -> Estimate | None:
    return _sum(
        costs[lowering.backend].times(nodes)
        for capture in captures
        if (lowering := capture.lowering) is not None
        and lowering.backend is not None
        and counts(lowering)
        and lowering.backend in costs
        and (nodes := _nodes(capture))
    )


def _nodes(capture: Capture) -> int:
    return capture.fx_nodes.get("total", 0)


def _sum(estimates: Iterable[Estimate]) -> Estimate | None:
    found = list(estimates)
    if not found:
        return None
    return Estimate(
        sum(each.seconds for each in found),
        sum(each.least for each in found),
        sum(each.most for each in found),
    )
