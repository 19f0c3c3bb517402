"""Bills the compiling of forwards by function: phases, and what caches gave or took.

From Dynamo's compilation metrics. Measured on torch 2.13.0 with Inductor on a CPU: a first start
took 35.5 s, of which 34.3 s were Inductor's; a second one, that found both caches filled, 6.1 s.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.run.model import Compile, Frame, Run


@dataclass(frozen=True, slots=True)
class BillLine:
    """One function that Dynamo compiled: ``function`` is its number in ``process``.

    ``compiles`` counts recompiles too. ``seconds`` and ``phases`` sum over them; ``cache`` counts
    lookups (``Compile.cache``), ``saved`` the seconds that hits saved by torch's own account.
    ``could_save`` is the most that a start with these caches filled can save: the time of AOT
    autograd in compiles that missed AOTAutogradCache, of the backend in those that missed either
    cache. ``bypasses`` count the reasons why a cache was not asked; what it would have held is
    compiled at each start. ``kernels`` are the seconds of the backend's that Triton and the C++
    compiler took.
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
    bypasses: Mapping[str, int] = field(default_factory=dict)
    kernels: float = 0.0

    def lookups(self, result: str) -> int:
        """Return how often the caches were asked with that ``result``: ``hit`` or ``miss``."""
        return sum(times for name, times in self.cache.items() if name.endswith(f"_{result}"))


def compile_bill(run: Run) -> tuple[BillLine, ...]:
    """Return the functions whose compiles have a time, the costliest first."""
    groups: dict[tuple[int, int], list[Compile]] = {}
    for compiled in run.forward_compiles:
        if compiled.seconds is not None:
            groups.setdefault((compiled.process, compiled.function), []).append(compiled)
    lines = [_line(process, function, found) for (process, function), found in groups.items()]
    return tuple(sorted(lines, key=lambda line: (-line.seconds, line.process, line.function)))


def used_caches(line: BillLine) -> bool:
    """Return whether a cache was asked for a function, or was not for a reason that torch gives."""
    return bool(line.cache or line.bypasses)


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
        could_save=sum(map(_could_save, compiles)),
        bypasses=Counter(reason for found in compiles for reason in found.bypasses),
        kernels=sum(found.kernels or 0.0 for found in compiles),
    )


def _could_save(compiled: Compile) -> float:
    missed_aot, missed_fx = (
        f"{cache}_miss" in compiled.cache and f"{cache}_remote_hit" not in compiled.cache
        for cache in ("aot", "fx")
    )
    saved = compiled.phases.get("backend", 0.0) if missed_aot or missed_fx else 0.0
    return saved + (compiled.phases.get("aot", 0.0) if missed_aot else 0.0)
