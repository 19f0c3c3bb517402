"""The shapes of a compiled function's arguments: what it was compiled for, what it was given.

Torch writes the sizes of a graph's inputs, and we those of the frame's arguments.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ca_reports.facts.dynamic_shapes import input_name

if TYPE_CHECKING:
    from ca_reports.run.model import Compile

_Shape = tuple[int | None, ...]


def guarded_shape(compiled: Compile, source: str) -> _Shape | None:
    """Return the sizes that a compile was made for, None for a dynamic one."""
    found = compiled.inputs.get(_input_name(source))
    return None if found is None else tuple(None if type(n) is str else n for n in found)  # type: ignore[misc]


def given_shape(compiled: Compile, source: str) -> _Shape | None:
    """Return the sizes of an argument when it was compiled for."""
    found = compiled.argument(source)
    if found is not None and found.shape is not None:
        return found.shape
    return guarded_shape(compiled, source)


_input_name = lru_cache(maxsize=1024)(input_name)
