"""Finds what guards failed on in a run, for the next of the same command to watch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ca_reports.run.model import Run


class FailedSource(NamedTuple):
    """The file and first line of a compiled function, and a source as a guard of it names it."""

    file: str
    line: int
    source: str


def failed_sources(run: Run, most: int) -> tuple[FailedSource, ...]:
    """Return the sources whose guards failed, each once for its compiled function.

    The ones that failed most often, and no more than ``most``.
    """
    counts: dict[FailedSource, int] = {}
    for compiled in run.compiles:
        if compiled.code is None or compiled.held is None or not compiled.is_recompile:
            continue
        for guard in compiled.held.guards:
            if guard.source:
                found = FailedSource(compiled.code.file, compiled.code.line, guard.source)
                counts[found] = counts.get(found, 0) + 1
    return tuple(sorted(counts, key=lambda found: -counts[found])[:most])
