"""Two folded graphs in one: what is the same, what changed, what came and what went."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ca_engine.alignment import common_items, in_line
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.facts.graphs.folded import Folded, FoldedNode
    from ca_reports.facts.graphs.fx import FxGraph

Status = Literal["same", "changed", "added", "removed"]

_WORD = expression(r"\b[A-Za-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """One node of the union: its position in the first and in the second graph."""

    before: int | None
    after: int | None
    status: Status


def compare(before: tuple[FxGraph, Folded], after: tuple[FxGraph, Folded]) -> tuple[Pair, ...]:
    """Match the nodes of two graphs in the order of their code.

    Nodes match by what they do and for whom (operation, parameter, role); a matched pair
    whose constants, shapes or wiring differ is ``changed``. Names and input numbers, which shift
    with every node that is put in, do not count, nor do lines of the source.
    """
    left, right = _keys(before[1]), _keys(after[1])
    names = node_names(before[0], after[0])
    pairs = []
    matched = list(in_line(common_items(left, right), len(left), len(right)))
    partner = {one: other for one, other in matched if one is not None and other is not None}
    kept = frozenset(partner.values())
    for one, other in matched:
        status: Status
        if one is None:
            status = "added"
        elif other is None:
            status = "removed"
        else:
            old, new = before[1].nodes[one], after[1].nodes[other]
            equal = _wired_alike(old, new, partner, kept) and (
                _alike(before, one, after, other)
                or _meaning(*before, one, names) == _meaning(*after, other, names)
            )
            status = "same" if equal else "changed"
        pairs.append(Pair(one, other, status))
    return tuple(pairs)


def _wired_alike(
    old: FoldedNode, new: FoldedNode, partner: Mapping[int, int], kept: frozenset[int]
) -> bool:
    """Return whether two nodes use the same ones; one that came stands for one that went.

    Which inputs are drawn (``inputs``, not ``hidden``) depends on how many users each has.
    """
    before, after = {*old.inputs, *old.hidden}, {*new.inputs, *new.hidden}
    same = {partner[source] for source in before if source in partner}
    return len(before) == len(after) and same == after & kept


def node_names(*graphs: FxGraph) -> set[str]:
    """Return the names of all nodes, which say nothing about what a node does."""
    return {node.name for graph in graphs for node in graph.nodes}


def _keys(folded: Folded) -> list[tuple[str, str]]:
    return [(node.label, node.role) for node in folded.nodes]


def _alike(
    before: tuple[FxGraph, Folded], one: int, after: tuple[FxGraph, Folded], other: int
) -> bool:
    """Return whether two nodes are equal to the letter, as nearly all of two captures are."""
    (left, old), (right, new) = before, after
    a, b = old.nodes[one], new.nodes[other]
    if a.shapes != b.shapes or len(a.members) != len(b.members):
        return False
    return all(
        left.nodes[own].text == right.nodes[theirs].text
        for own, theirs in zip(a.members, b.members, strict=True)
    )


def _meaning(graph: FxGraph, folded: Folded, index: int, names: set[str]) -> tuple[object, ...]:
    """Return a node without the names in it: its constants and its shapes."""

    def anonymous(found: re.Match[str]) -> str:
        return "·" if found[0] in names else found[0]

    node = folded.nodes[index]
    constants = tuple(
        _WORD.sub(anonymous, found)
        for member in node.members
        if graph.nodes[member].kind != "getitem" and (found := _arguments(graph.nodes[member].text))
    )
    return constants, node.shapes


def _arguments(text: str) -> str:
    """Return ``(x, 2)`` of ``f(x, 2)``; empty for what is no call."""
    _, found, rest = text.partition("(")
    return f"({rest}" if found and rest.endswith(")") else ""
