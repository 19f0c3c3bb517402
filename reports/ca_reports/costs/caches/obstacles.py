"""Names what keeps graphs out of torch's caches, and finds where that was set or written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ca_reports.costs.caches.settings import SettingOrigin, Variable
from ca_reports.logs.fields import no_entries
from ca_reports.torchlib import inductor
from ca_reports.torchlib.dynamo import ENTERED_BY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.costs.caches.settings import ProgramSettings
    from ca_reports.facts.bypassed import BypassKind
    from ca_reports.run.model import Frame, Run

# The settings by which graphs are kept out of caches.
_KEEPING_OUT: dict[BypassKind, tuple[str, ...]] = {
    "all off": (inductor.ALL_OFF,),
    "off": (inductor.INDUCTOR_CACHE,),
    "not asked": (inductor.AOT_CACHE,),
    "frozen": inductor.FREEZING,
    "pass": inductor.PASSES,
}


class Obstacle(NamedTuple):
    """Names what kept a graph out of a cache; ``target`` is what torch names."""

    kind: BypassKind
    target: str | None = None


FROZEN, NOT_ASKED, ALL_OFF = Obstacle("frozen"), Obstacle("not asked"), Obstacle("all off")


def origins(
    written: Iterable[tuple[Obstacle, Frame | None]],
    run: Run,
    earlier: Sequence[Run],
    settings: ProgramSettings,
) -> dict[Obstacle, SettingOrigin]:
    """Search for what set each obstacle that kept graphs out of caches.

    ``written`` has the program's line of each that is an operation of a graph, if known.
    """
    found: dict[Obstacle, dict[Frame, None]] = {}
    for obstacle, place in written:
        found.setdefault(obstacle, {}).update({} if place is None else {place: None})
    return {
        obstacle: _origin(obstacle, tuple(places), run, earlier, settings)
        for obstacle, places in found.items()
    }


def _origin(
    obstacle: Obstacle,
    written: tuple[Frame, ...],
    run: Run,
    earlier: Sequence[Run],
    settings: ProgramSettings,
) -> SettingOrigin:
    if names := _KEEPING_OUT.get(obstacle.kind):
        return _set_by(run, earlier, names, settings)
    manager = ENTERED_BY.get(obstacle.target or "")
    if manager is not None:
        return SettingOrigin(lines=settings.called(manager.rpartition(".")[2]))
    return SettingOrigin(lines=written)


def _set_by(
    run: Run, earlier: Sequence[Run], names: Iterable[str], settings: ProgramSettings
) -> SettingOrigin:
    """Return the variable that keeps graphs out of caches by one of these settings, else lines."""
    before, after = environment_of(earlier), environment_of([run])
    lines: list[Frame] = []
    for name in names:
        variable, value = inductor.KEEPING_OUT.get(name, ("", ""))
        if variable and after.get(variable) == value:
            earlier_value = before.get(variable) if before else value  # as far as it is known
            return SettingOrigin((Variable(variable, earlier_value, value),))
        lines += settings.lines(f"config.{name}")
    return SettingOrigin(lines=tuple(lines))


def environment_of(runs: Iterable[Run]) -> Mapping[str, str]:
    """Return the variables at the first look-up of a cache, else those of the process's start."""
    processes = [process for run in runs for process in run.processes]
    looked_up = (one.environment for process in processes for one in process.cache_lookups)
    began = (process.environment for process in processes)
    return next(filter(None, (*looked_up, *began)), no_entries())
