"""The sizes of a graph's inputs, from torch's ``dynamo_output_graph`` record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.logs.fields import integer

if TYPE_CHECKING:
    from collections.abc import Mapping

# Of a function's arguments and globals; inputs are named after what they are: l_batch_image_.
_INPUT = expression(r"^[lg]_")
_OF_MODULE = ("_parameters_", "_buffers_")
_NO_NAME = expression(r"[^a-z0-9]+")
MAX_INPUTS = 32
_LONGEST = 200

# A number, the symbol of a dynamic size, or unknown.
Size = int | str | None


def graph_inputs(sizes: Mapping[str, object]) -> dict[str, tuple[Size, ...]]:
    """Return each tensor's sizes by its name without signs (``lbatchimage``).

    A dynamic one is its symbol (``s27``, ``2*s27``).
    """
    found: dict[str, tuple[Size, ...]] = {}
    for name, shape in sizes.items():
        if len(found) == MAX_INPUTS:
            break
        is_own = _INPUT.match(name) and not any(part in name for part in _OF_MODULE)
        if is_own and isinstance(shape, list):
            found[without_signs(name)] = tuple(map(_size, shape))
    return found


def without_signs(name: str) -> str:
    """Return a graph's or a source's name of an input without signs: ``lx`` of ``L['x']``."""
    return _NO_NAME.sub("", name.lower())


def _size(value: object) -> Size:
    """Return a number, also one that a symbol stands for by now (``"12"``); else the symbol."""
    if isinstance(value, str):
        return int(value[:18]) if value.isdecimal() else value[:_LONGEST]
    return integer(value)
