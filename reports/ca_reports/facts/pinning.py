"""Finds the user's line that makes a constant of a size which could be dynamic.

A loop over a size, a comparison with a number that an object keeps, a key: Dynamo then compiles for
that size alone, even with ``dynamic=True``. Torch writes each size that becomes a constant, with
the frames that were traced by then. A size is also made one by an operation with another that is
one already: of those with one value the first counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.stack import in_torch, is_installed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.facts.guarded_things import GuardedThing, Identity
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.program.stack import Frame
    from ca_reports.run.model import Compile
    from ca_reports.run.pinned import PinnedSize


def pinning_line(size: InputSize) -> Frame | None:
    """Return the line that makes constants of these sizes; None if none is known.

    What an operation of a library asks for, such as a weight of another size, is no line to edit.
    """
    if size.is_dynamic_now:
        return None
    compiles = (one for found in size.own for one in (found.earlier, found.compiled))
    lines = (_line(one, size) for one in compiles if one is not None)
    return next((line for line in lines if line is not None), None)


def _line(compiled: Compile, size: InputSize) -> Frame | None:
    tensor = guard_path(size.source).in_frame
    before: list[PinnedSize] = []
    for pinned in compiled.pinned:
        sized, dimension = guard_path(pinned.source).sized or (None, 0)
        if sized is None:
            continue
        before.append(pinned)
        if sized.in_frame != tensor or dimension not in size.dimensions:
            continue
        for first in before:
            line = first.stack[-1]
            is_librarys = in_torch(line.file) or is_installed(line.file)
            if first.value == pinned.value and not is_librarys:
                return line
    return None


def compared_with(
    sizes: Iterable[InputSize], things: Iterable[GuardedThing]
) -> dict[Identity, list[InputSize]]:
    """Map what is guarded to the sizes that the line of its guard makes constants of.

    A number that an object keeps and a size that is compared with it are one cause: the number's.
    """
    lines: dict[tuple[str, int], list[InputSize]] = {}
    for size in sizes:
        line = pinning_line(size)
        if line is not None:
            lines.setdefault((line.file, line.line), []).append(size)
    found: dict[Identity, list[InputSize]] = {}
    taken: set[tuple[object, ...]] = set()
    for thing in things if lines else ():
        place = thing.location
        if thing.subject not in _NUMBERS or place is None:
            continue
        for size in lines.get((place.file, place.line), ()):
            if size.identity not in taken:
                taken.add(size.identity)
                found.setdefault(thing.identity, []).append(size)
    return found


_NUMBERS = ("int", "attribute", "global")
