"""Finds the operation that takes a size: `sizes[38]` of a guard is a slice's bound."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.facts.guard_paths import guard_path

if TYPE_CHECKING:
    from ca_reports.facts.graphs.fx import FxGraph, FxNode

# What unpacks a size, and what compares shapes with it: neither is an operation of the user's.
_UNPACK = "unwrap_maybe_dynamic_int"
_CHECK = "validate_outputs"


def taken_as_a_number(graph: FxGraph, source: str) -> FxNode | None:
    """Find the operation that takes the size ``source`` (``sizes[38]``) by itself; else None.

    That is a Python int of the user's: an index, a bound of a slice. A size that is one of a list
    is a dimension of a tensor's shape.
    """
    place = guard_path(source).lifted
    if place is None:
        return None
    sizes = next((i for i, node in enumerate(graph.nodes) if node.name == "sizes"), None)
    names: dict[int, str] = {}
    for position, node in enumerate(graph.nodes):
        if node.kind == "getitem" and node.inputs == (sizes,):
            if node.target == str(place):
                names[position] = node.name
            continue
        taken = next((names[origin] for origin in node.inputs if origin in names), None)
        if taken is None or node.target == _CHECK:
            continue
        if node.target == _UNPACK:
            names[position] = node.name
        elif _stands_alone(node.text, taken):
            return node
    return None


def _stands_alone(text: str, name: str) -> bool:
    """Return whether ``name`` is an argument of the call itself, in no list or tuple."""
    depth = 0
    for part in re.findall(r"[()\[\]]|\w+", text.partition("=")[2]):
        if part in "([":
            depth += 1
        elif part in ")]":
            depth -= 1
        elif part == name and depth == 1:
            return True
    return False
