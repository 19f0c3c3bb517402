"""The shapes of a compiled function's arguments: what it was compiled for, what it was given.

Torch writes the sizes of a graph's inputs, and we those of the frame's arguments.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ca_reports.facts.dynamic_shapes import input_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.model import Compile, EventKey

_Shape = tuple[int | None, ...]


def guarded_shape(compiled: Compile, source: str) -> _Shape | None:
    """The sizes that a compile was made for, None for a dynamic one."""
    found = compiled.inputs.get(_input_name(source))
    return None if found is None else tuple(None if type(n) is str else n for n in found)  # type: ignore[misc]


def given_shape(compiled: Compile, source: str) -> _Shape | None:
    """The sizes of an argument when it was compiled for."""
    if compiled.held is not None:
        found = compiled.held.argument(source)
        if found is not None and found.shape is not None:
            return found.shape
    return guarded_shape(compiled, source)


def relaid(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]
) -> frozenset[EventKey]:
    """The recompiles of forwards for another stride of a tensor whose sizes had not changed.

    Such as a part of a wider tensor. A size that a compile leaves open may have changed: with it
    the strides that follow from it do, and those are left open as well.
    """
    by_id = {compiled.compile_id: compiled for compiled in compiles}
    return frozenset(
        found.compiled.key
        for found in recompiles
        if found.guard.kind == "stride"
        and _has_its_sizes(found, by_id.get(found.guard.failed or ""))
    )


def _has_its_sizes(recompile: RecompileFacts, earlier: Compile | None) -> bool:
    source = recompile.guard.source
    expected = None if earlier is None else guarded_shape(earlier, source)
    given = given_shape(recompile.compiled, source)
    return (
        expected is not None
        and given is not None
        and len(expected) == len(given)
        and all(before in (None, after) for before, after in zip(expected, given, strict=True))
    )


_input_name = lru_cache(maxsize=1024)(input_name)
