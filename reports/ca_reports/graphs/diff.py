"""Two folded graphs in one: what is the same, what changed, what came and what went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ca_engine.alignment import common_items, in_line

if TYPE_CHECKING:
    from ca_reports.graphs.folded import Folded
    from ca_reports.graphs.fx import FxGraph

Status = Literal["same", "changed", "added", "removed"]

_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """One node of the union: its position in the first and in the second graph."""

    before: int | None
    after: int | None
    status: Status


def compare(before: tuple[FxGraph, Folded], after: tuple[FxGraph, Folded]) -> tuple[Pair, ...]:
    """Match the nodes of two graphs in the order of their code.

    Nodes match by what they do and for whom (operation, parameter, role); a matched pair
    whose constants or shapes differ is ``changed``. Names and input numbers, which shift
    with every node that is put in, do not count.
    """
    left, right = _keys(before[1]), _keys(after[1])
    names = {node.name for graph in (before[0], after[0]) for node in graph.nodes}
    pairs = []
    for one, other in in_line(common_items(left, right), len(left), len(right)):
        status: Status
        if one is None:
            status = "added"
        elif other is None:
            status = "removed"
        else:
            equal = _alike(before, one, after, other) or (
                _meaning(*before, one, names) == _meaning(*after, other, names)
            )
            status = "same" if equal else "changed"
        pairs.append(Pair(one, other, status))
    return tuple(pairs)


def _keys(folded: Folded) -> list[tuple[str, str]]:
    return [(node.label, node.role) for node in folded.nodes]


def _alike(
    before: tuple[FxGraph, Folded], one: int, after: tuple[FxGraph, Folded], other: int
) -> bool:
    """Whether two nodes are equal to the letter, as nearly all of two captures are."""
    (left, old), (right, new) = before, after
    a, b = old.nodes[one], new.nodes[other]
    if a.shapes != b.shapes or len(a.inputs) != len(b.inputs):
        return False
    if len(a.members) != len(b.members) or left.nodes[a.head].place != right.nodes[b.head].place:
        return False
    return all(
        left.nodes[own].text == right.nodes[theirs].text
        for own, theirs in zip(a.members, b.members, strict=True)
    )


def _meaning(graph: FxGraph, folded: Folded, index: int, names: set[str]) -> tuple[object, ...]:
    """A node without the names in it: constants, shapes, and how much goes in."""

    def anonymous(found: re.Match[str]) -> str:
        return "·" if found[0] in names else found[0]

    node = folded.nodes[index]
    constants = tuple(
        _WORD.sub(anonymous, found)
        for member in node.members
        if graph.nodes[member].kind != "getitem" and (found := _arguments(graph.nodes[member].text))
    )
    # Not the node's own place: that of an eager node may be noted in one of the two only.
    return constants, node.shapes, len(node.inputs), graph.nodes[node.head].place


def _arguments(text: str) -> str:
    """``(x, 2)`` of ``f(x, 2)``; empty for what is no call."""
    _, found, rest = text.partition("(")
    return f"({rest}" if found and rest.endswith(")") else ""
