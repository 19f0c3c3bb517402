"""Lines that set what keeps graphs out of torch's caches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located.trail import unique
from ca_reports.program.configured import assigned, compiled_with, patched
from ca_reports.torchlib import inductor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.syntax import Site


def custom_pass(trail: Trail) -> list[Site]:
    """Find where inductor is given a pass of the program's own."""
    return _set(trail, inductor.PASSES)


def freezing(trail: Trail) -> list[Site]:
    """Find where weights are made a part of the code."""
    return _set(trail, inductor.FREEZING)


def caches(trail: Trail) -> list[Site]:
    """Find where a cache is turned off."""
    return _set(trail, inductor.CACHES)


def _set(trail: Trail, names: tuple[str, ...]) -> list[Site]:
    return unique([site for name in names for site in _sites(trail, name)])


def _sites(trail: Trail, name: str) -> Iterator[Site]:
    yield from assigned(trail.program, name)
    yield from compiled_with(trail.program, name)
    yield from patched(trail.program, name)
