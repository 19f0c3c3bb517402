"""A laid out graph as plain data: what the page draws and ``ca graph`` prints."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.graphs.changed_values import causes, value_changes
from ca_reports.facts.graphs.diff import compare, node_names
from ca_reports.facts.graphs.fold import fold
from ca_reports.facts.graphs.layout import lay_out
from ca_reports.facts.graphs.parse import parse
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.graphs.changed_values import ValueChange
    from ca_reports.facts.graphs.diff import Status
    from ca_reports.facts.graphs.folded import Folded, FoldedNode
    from ca_reports.facts.graphs.fx import FxGraph
    from ca_reports.facts.graphs.layout import Layout
    from ca_reports.run.model import Frame

# A node of a real graph folds dozens of statements; an AOT prologue, hundreds.
_MOST_CODE = 40


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of a picture. ``inputs``/``hidden`` are positions in the picture's nodes.

    ``code`` are its statements without what they free; ``before`` are those of the other
    graph, for a node that changed, and ``values`` what differs between the two. ``is_cause``
    says that it differs by itself, and not because a node before it does.
    """

    node: FoldedNode
    inputs: tuple[int, ...]
    hidden: tuple[int, ...]
    code: tuple[str, ...]
    status: Status = "same"
    before: tuple[str, ...] = ()
    before_shapes: tuple[str, ...] = ()
    values: tuple[ValueChange, ...] = ()
    is_cause: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A folded graph, or the union of two, with a place for each node."""

    nodes: tuple[DrawnNode, ...]
    layout: Layout
    fx_nodes: int
    unread: int

    def counts(self) -> dict[str, int]:
        """Count the nodes of each status."""
        found: dict[str, int] = {}
        for node in self.nodes:
            found[node.status] = found.get(node.status, 0) + 1
        return found


@dataclass(frozen=True, slots=True)
class Read:
    """A captured graph, read and folded: what a picture or a comparison starts from.

    ``code`` are the statements of each folded node.
    """

    graph: FxGraph
    folded: Folded
    code: tuple[tuple[str, ...], ...]

    @classmethod
    def of(
        cls,
        code: str,
        autograd: Sequence[Mapping[str, Any]] = (),
        lines: Mapping[int, Frame] | None = None,
    ) -> Read:
        """Read ``code``; ``autograd`` is ``Capture.autograd_graph``, ``lines`` its ``lines``."""
        graph = parse(code)
        folded = fold(graph, autograd, lines)
        return cls(graph, folded, tuple(_code(graph, node.members) for node in folded.nodes))


def picture(read: Read) -> Picture:
    """Return one graph, laid out."""
    nodes = [
        DrawnNode(node, node.inputs, node.hidden, code)
        for node, code in zip(read.folded.nodes, read.code, strict=True)
    ]
    return _placed(nodes, len(read.graph.nodes), read.graph.unread)


def difference(before: Read, after: Read) -> Picture:
    """Return two graphs in one picture: the second, and what the first has beyond it."""
    pairs = compare((before.graph, before.folded), (after.graph, after.folded))
    old = {pair.before: index for index, pair in enumerate(pairs) if pair.before is not None}
    new = {pair.after: index for index, pair in enumerate(pairs) if pair.after is not None}
    names = node_names(before.graph, after.graph)
    nodes = []
    for pair in pairs:
        if pair.after is None:
            assert pair.before is not None
            node = before.folded.nodes[pair.before]
            inputs = tuple(old[source] for source in node.inputs)
            hidden = tuple(old[source] for source in node.hidden)
            code = before.code[pair.before]
            nodes.append(DrawnNode(node, inputs, hidden, code, pair.status))
            continue
        node = after.folded.nodes[pair.after]
        was: tuple[str, ...] = ()
        shapes: tuple[str, ...] = ()
        values: tuple[ValueChange, ...] = ()
        if pair.status == "changed" and pair.before is not None:
            was = before.code[pair.before]
            earlier = before.folded.nodes[pair.before]
            shapes = earlier.shapes
            values = value_changes(
                (before.graph, earlier.members, shapes),
                (after.graph, node.members, node.shapes),
                names,
            )
        nodes.append(
            DrawnNode(
                node,
                tuple(new[source] for source in node.inputs),
                tuple(new[source] for source in node.hidden),
                after.code[pair.after],
                pair.status,
                was,
                shapes,
                values,
            )
        )
    by_itself = causes([(node.status, (*node.inputs, *node.hidden), node.values) for node in nodes])
    nodes = [
        replace(node, is_cause=True) if is_cause else node
        for node, is_cause in zip(nodes, by_itself, strict=True)
    ]
    return _placed(nodes, len(after.graph.nodes), before.graph.unread + after.graph.unread)


def _placed(nodes: Sequence[DrawnNode], fx_nodes: int, unread: int) -> Picture:
    labels = tuple(node.node.label for node in nodes)
    placed = _lay_out(labels, tuple(node.inputs for node in nodes))
    return Picture(tuple(nodes), placed, fx_nodes, unread)


# Captures of one model often differ in values only, and a difference in which no node came
# or went has the shape of its second graph.
@lru_cache(maxsize=8)
def _lay_out(labels: tuple[str, ...], inputs: tuple[tuple[int, ...], ...]) -> Layout:
    return lay_out(labels, inputs)


def _code(graph: FxGraph, members: Iterable[int]) -> tuple[str, ...]:
    found = [graph.nodes[member].text for member in members]
    if len(found) > _MOST_CODE:
        more = and_more(len(found) - _MOST_CODE, "statement")
        return (*found[:_MOST_CODE], f"# {more} folded into this node")
    return tuple(found)
