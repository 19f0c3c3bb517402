"""Recompiles of a warm-up: each variant that is to come is compiled before the first real call.

A server with ``dynamic=False`` asks for a graph of each size, a planner for one of each of its
flags, and has them made at its start: the calls that compile are made first, and those that follow
come from other lines and compile nothing. There is nothing to save, as the variants were chosen.

What tells a warm-up from the first steps of the work is that nothing is done with what its calls
give: it is dropped, or each call is one backward and no graph is met a second time.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from ca_reports.program.stack import own_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.model import Compile, CompiledCall

# Fewer calls than these show no use of what was warmed up.
_SERVED = 2
# So many for each variant, where its calls were steps of a training.
_SERVED_OF_EACH = 2
_OF_SIZES = ("size", "stride")


def warmed_up(
    recompiles: Iterable[RecompileFacts],
    compiles: Sequence[Compile],
    calls: Sequence[CompiledCall],
    began: Callable[[], Sequence[float]],
) -> tuple[RecompileFacts, ...]:
    """Return the recompiles for a variant of which a warm-up asks, of ``recompiles`` of forwards.

    ``compiles`` are all of the process, ``calls`` those that were noted around recompiles, and
    ``began`` returns when backwards began, in order.
    """
    by_code: dict[str, list[RecompileFacts]] = {}
    for found in recompiles:
        by_code.setdefault(found.compiled.code_number, []).append(found)
    return tuple(
        found
        for code, group in by_code.items()
        if all(_is_chosen(guard, one) for one in group for guard in one.guards)
        and _is_warm_up([one for one in compiles if one.code_number == code], calls, began)
        for found in group
    )


def _is_chosen(guard: Guard, recompile: RecompileFacts) -> bool:
    """Return whether it is a variant of its own: a size is one where ``dynamic=False`` is set.

    Grad mode and the like are a warm-up's to set as the real calls have it.
    """
    if guard.kind in _OF_SIZES:
        return recompile.compiled.settings.sizes == "static"
    return guard.kind != "global_state"


def _is_warm_up(
    compiles: Sequence[Compile],
    calls: Sequence[CompiledCall],
    began: Callable[[], Sequence[float]],
) -> bool:
    lines, times = set(), []
    for one in compiles:
        line = None if one.held is None else own_frame(one.held.stack)
        if line is None or one.time is None or one.is_refused:
            return False
        lines.add((line.file, line.line))
        times.append(one.time)
    last = max(times, default=0.0)
    own = {one.callable for one in calls if one.place in lines}
    after = [one for one in calls if one.time > last and one.callable in own]
    served = [one.time for one in after if one.place is not None and one.place not in lines]
    again = [one.time for one in after if one.place in lines]
    if len(served) < _SERVED or max(again, default=0.0) >= min(served):
        return False
    if all(one.held is not None and one.held.is_dropped for one in compiles):
        return True
    # Steps are trained with what they give, but for those that make its graph's backward.
    starts = began()
    backwards = bisect_left(starts, min(served)) - bisect_left(starts, min(times))
    met = [one for one in calls if one.callable in own and one.place in lines]
    return (
        backwards == len(compiles)
        and len(served) >= _SERVED_OF_EACH * len(compiles)
        and all(any(one.time <= time <= one.time + one.seconds for time in times) for one in met)
    )
