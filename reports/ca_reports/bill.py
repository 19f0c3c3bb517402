"""What compiling forwards cost, function by function: the phases, and what caches gave or took.

From Dynamo's compilation metrics. Measured on torch 2.13.0 with Inductor on a CPU: a first start
took 35.5 s, of which 34.3 s were Inductor's; a second one, that found both caches filled, 6.1 s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.model import Compile, Frame, Run

_CACHED = ("aot", "backend")


@dataclass(frozen=True, slots=True)
class BillLine:
    """One function that Dynamo compiled: ``function`` is its number in ``process``.

    ``compiles`` counts recompiles too. ``seconds`` and ``phases`` sum over them; ``cache`` counts
    lookups (``Compile.cache``), ``saved`` the seconds that hits saved by torch's own account.
    ``could_save`` is the most that a start with these caches filled can save: the time of AOT
    autograd and the backend in compiles that missed a cache.
    """

    process: int
    function: int
    location: Frame | None
    compiles: int = 0
    recompiles: int = 0
    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    cache: Mapping[str, int] = field(default_factory=dict)
    saved: float = 0.0
    could_save: float = 0.0


def compile_bill(run: Run) -> tuple[BillLine, ...]:
    """The functions whose compiles have a time, the costliest first."""
    groups: dict[tuple[int, int], list[Compile]] = {}
    for compiled in run.compiles:
        if compiled.capture is None and not compiled.internal and compiled.seconds is not None:
            groups.setdefault((compiled.process, compiled.function), []).append(compiled)
    lines = [_line(process, function, found) for (process, function), found in groups.items()]
    return tuple(sorted(lines, key=lambda line: (-line.seconds, line.process, line.function)))


def _line(process: int, function: int, compiles: list[Compile]) -> BillLine:
    phases: dict[str, float] = {}
    cache: dict[str, int] = {}
    for compiled in compiles:
        for phase, seconds in compiled.phases.items():
            phases[phase] = phases.get(phase, 0.0) + seconds
        for name, times in compiled.cache.items():
            cache[name] = cache.get(name, 0) + times
    return BillLine(
        process=process,
        function=function,
        location=next((found.location for found in compiles if found.location), None),
        compiles=len(compiles),
        recompiles=sum(found.is_recompile for found in compiles),
        seconds=sum(found.seconds or 0.0 for found in compiles),
        phases=phases,
        cache=cache,
        saved=sum(found.saved or 0.0 for found in compiles),
        could_save=sum(
            found.phases.get(phase, 0.0)
            for found in compiles
            if any(name.endswith("_miss") for name in found.cache)
            for phase in _CACHED
        ),
    )
