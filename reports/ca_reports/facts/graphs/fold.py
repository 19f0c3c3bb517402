"""A captured graph with its plumbing put away: what is left is what one wants to see.

Of the 7,000 FX nodes of a 12-layer GPT's backward more than half take an item out of
something, a third unwrap sizes, and every autograd node is followed by a check of its
outputs. Those become part of the node they serve; the inputs, which nearly every node
uses, are listed and not drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.facts.graphs.folded import Folded, FoldedNode
from ca_reports.facts.graphs.modules import with_groups
from ca_reports.facts.graphs.shapes import checked_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.graphs.folded import Role
    from ca_reports.facts.graphs.fx import FxGraph, FxNode
    from ca_reports.run.model import Frame

# A node whose result more nodes than this use is no path that one can follow.
HUB = 16
_CHECK = "validate_outputs"
_SIZES = frozenset(("unwrap_maybe_dynamic_int",))
_ACCUMULATE = "call_accumulate_grad"
_AOT_NAME = expression(r"^aot(?P<region>\d+)_")
_BEGINS = expression(r"^aot\d+_tangents_\d+$")


def fold(
    graph: FxGraph,
    autograd: Sequence[Mapping[str, Any]] = (),
    lines: Mapping[int, Frame] | None = None,
) -> Folded:
    """Fold ``graph``; ``autograd`` (``schema.AutogradNode``) names parameters and modules.

    ``lines`` are those of the forward by NodeCall index, where they were noted.
    """
    owner = _owners(graph.nodes)
    heads = sorted({found for found in owner if found is not None})
    position = {head: place for place, head in enumerate(heads)}
    members: list[list[int]] = [[] for _ in heads]
    inputs: list[dict[int, None]] = [{} for _ in heads]
    reads: list[dict[str, None]] = [{} for _ in heads]
    plumbing = _plumbing(graph.nodes, owner)
    for index, node in enumerate(graph.nodes):
        head = owner[index]
        if head is None:
            continue
        here = position[head]
        members[here].append(index)
        for source in node.inputs:
            own = owner[source]
            if own is None:
                for used in plumbing[source]:
                    reads[here][used] = None
            elif own != head:
                inputs[here][position[own]] = None
    names = _Names(autograd, lines or {})
    nodes = [
        _node(graph, heads[here], members[here], inputs[here], reads[here], names)
        for here in range(len(heads))
    ]
    grouped = with_groups(nodes)
    return Folded(tuple(dehub(grouped, _tangents(graph, owner, position))), len(graph.nodes))


def dehub(
    nodes: Iterable[FoldedNode], kept: frozenset[tuple[int, int]] = frozenset()
) -> list[FoldedNode]:
    """Take the edges of hubs out of the picture, but for those in ``kept`` (from, to)."""
    found = list(nodes)
    users = [0] * len(found)
    for node in found:
        for source in node.inputs:
            users[source] += 1
    hubs = {index for index, count in enumerate(users) if count > HUB}
    if not hubs:
        return found
    result = []
    for index, node in enumerate(found):
        hidden = tuple(
            source for source in node.inputs if source in hubs and (source, index) not in kept
        )
        shown = tuple(source for source in node.inputs if source not in hidden)
        result.append(replace(node, inputs=shown, hidden=hidden) if hidden else node)
    return result


def _owners(nodes: Sequence[FxNode]) -> list[int | None]:
    """Return the head that each FX node is folded into; None for inputs and for size plumbing."""
    owner: list[int | None] = []
    for index, node in enumerate(nodes):
        if node.kind == "placeholder":
            owner.append(None)
        elif node.kind == "getitem":
            # An item of a result is part of that result; an item of the inputs of no node.
            owner.append(owner[node.inputs[0]] if node.inputs else None)
        elif node.target in _SIZES or node.kind == "operator":
            held = {owner[source] for source in node.inputs} - {None}
            owner.append(None if not held else index)
        elif node.target == _CHECK:
            held = {owner[source] for source in node.inputs} - {None}
            owner.append(next(iter(held)) if len(held) == 1 else (index if held else None))
        else:
            owner.append(index)
    return owner


def _plumbing(nodes: Sequence[FxNode], owner: Sequence[int | None]) -> dict[int, tuple[str, ...]]:
    """Map each node without an owner to the graph's input that it stands for: ``inputs[3]``."""
    found: dict[int, tuple[str, ...]] = {}
    for index, node in enumerate(nodes):
        if owner[index] is not None:
            continue
        if node.kind == "placeholder":
            found[index] = (node.name,)
        elif node.kind == "getitem" and node.inputs:
            source = found.get(node.inputs[0], ())
            found[index] = tuple(f"{name}[{node.target}]" for name in source)
        else:
            used: dict[str, None] = {}
            for source_index in node.inputs:
                used.update(dict.fromkeys(found.get(source_index, ())))
            found[index] = tuple(used)
    return found


def _tangents(
    graph: FxGraph, owner: Sequence[int | None], position: Mapping[int, int]
) -> frozenset[tuple[int, int]]:
    """Return edges by which gradients enter an AOT region: of its prologue's they are the path."""
    tangents = {index for index, node in enumerate(graph.nodes) if _BEGINS.match(node.name)}
    found = set()
    for index, node in enumerate(graph.nodes):
        head = owner[index]
        for source in node.inputs:
            start = owner[source]
            if source in tangents and head is not None and start is not None and head != start:
                found.add((position[start], position[head]))
    return frozenset(found)


def _node(
    graph: FxGraph,
    head: int,
    members: Sequence[int],
    inputs: Iterable[int],
    reads: Iterable[str],
    names: _Names,
) -> FoldedNode:
    node = graph.nodes[head]
    region = _AOT_NAME.match(node.name)
    role = _role(node, in_region=region is not None)
    shapes = next(
        (
            checked_shapes(graph.nodes[member].text)
            for member in members
            if graph.nodes[member].target == _CHECK
        ),
        (),
    )
    index = node.origin.index if node.origin is not None else None
    parameter = names.parameter(index) if role in ("accumulate", "hook") else ""
    group = f"aot{region['region']}" if region is not None else ""
    label = parameter if role == "accumulate" and parameter else _label(node)
    return FoldedNode(
        label=label,
        role=role,
        head=head,
        members=tuple(members),
        inputs=tuple(inputs),
        reads=tuple(reads),
        origin=node.origin,
        place=node.place or names.place(index),
        shapes=shapes,
        group=group,
        parameter=parameter,
    )


def _label(node: FxNode) -> str:
    label = node.target.removeprefix("aten.").removesuffix(".default")
    return "accumulate grad" if label == _ACCUMULATE else label


def _role(node: FxNode, *, in_region: bool) -> Role:
    if node.target in (_ACCUMULATE, "accumulate_grad", "AccumulateGrad"):
        return "accumulate"
    if "hook" in node.target:
        return "hook"
    if in_region:
        return "aot"
    if node.kind == "operator":
        return "operator"
    if node.origin is not None and node.target == node.origin.name.rsplit("::", 1)[-1]:
        return "autograd"
    return "call"


class _Names:
    """Parameters and forward lines by NodeCall index, from what was recorded."""

    def __init__(self, autograd: Sequence[Mapping[str, Any]], lines: Mapping[int, Frame]) -> None:
        self._lines = lines
        self._parameters: dict[int, str] = {}
        for node in autograd:
            index, name = node.get("index"), node.get("parameter")
            if isinstance(index, int) and isinstance(name, str) and name:
                self._parameters[index] = name

    def parameter(self, index: int | None) -> str:
        return self._parameters.get(index, "") if index is not None else ""

    def place(self, index: int | None) -> Frame | None:
        return self._lines.get(index) if index is not None else None
