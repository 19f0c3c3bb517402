"""Recompiles of a warm-up: each size that is to come is compiled for before the first real call.

A server with ``dynamic=False`` asks for a graph of each size, and has them made at its start: the
calls that compile drop what they get, and the calls that follow come from other lines and compile
nothing. There is nothing to save, as the sizes were chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.program.stack import own_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.model import Compile, CompiledCall

# Fewer calls than these show no use of what was warmed up.
_SERVED = 2


def warmed_up(
    recompiles: Iterable[RecompileFacts],
    compiles: Sequence[Compile],
    calls: Sequence[CompiledCall],
) -> tuple[RecompileFacts, ...]:
    """Return the recompiles for a size of which a warm-up asks, of ``recompiles`` of forwards.

    ``compiles`` are all of the process, ``calls`` those that were noted around recompiles.
    """
    by_code: dict[str, list[RecompileFacts]] = {}
    for found in recompiles:
        by_code.setdefault(found.compiled.code_number, []).append(found)
    return tuple(
        found
        for code, group in by_code.items()
        if all(guard.kind == "size" for one in group for guard in one.guards)
        and _is_warm_up([one for one in compiles if one.code_number == code], calls)
        for found in group
    )


def _is_warm_up(compiles: Sequence[Compile], calls: Sequence[CompiledCall]) -> bool:
    lines = set()
    for one in compiles:
        line = None if one.held is None else own_frame(one.held.stack)
        if line is None or not (one.held and one.held.is_dropped) or one.time is None:
            return False
        if one.settings.sizes != "static" or one.is_refused:
            return False
        lines.add((line.file, line.line))
    last = max((one.time for one in compiles if one.time is not None), default=0.0)
    own = {one.callable for one in calls if one.place in lines}
    after = [one for one in calls if one.time > last and one.callable in own]
    served = [one.time for one in after if one.place is not None and one.place not in lines]
    again = [one.time for one in after if one.place in lines]
    return len(served) >= _SERVED and max(again, default=0.0) < min(served)
