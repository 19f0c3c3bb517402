"""Compares the graphs of one capture in two runs, in numbers and a few names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.graphs.changed_values import value_changes
from ca_reports.facts.graphs.diff import compare, node_names
from ca_reports.facts.graphs.document import Read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from ca_reports.facts.graphs.diff import Pair, Status
    from ca_reports.run.model import Capture

_NAMES = 6
_VALUES = 3
# ``schema.AutogradNode``.
Nodes: TypeAlias = "Sequence[Mapping[str, Any]]"
_SIGNS: dict[Status, str] = {"added": "+", "removed": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class GraphChange:
    """Folded nodes that came, went and changed, of ``nodes`` in the later graph.

    ``names`` are the first few, with a sign, and what changed where it can be told in few
    words: ``+ TanhBackward0``, ``~ PowBackward0 2.25 → 2.5``.
    """

    before: Capture
    after: Capture
    added: int
    removed: int
    changed: int
    nodes: int
    names: tuple[str, ...]


def graph_change(
    before: Capture, after: Capture, nodes_before: Nodes, nodes_after: Nodes
) -> GraphChange | None:
    """Return what changed in the graph; None if nothing did or one of the two is not in the log.

    ``nodes_before`` and ``nodes_after`` are their autograd nodes.
    """
    if before.graph is None or after.graph is None:
        return None
    texts = before.graph.text, after.graph.text
    if texts[0] == texts[1]:
        return None
    reads = [
        Read.of(text, nodes) for text, nodes in zip(texts, (nodes_before, nodes_after), strict=True)
    ]
    variables = node_names(reads[0].graph, reads[1].graph)
    counts: dict[Status, int] = {"added": 0, "removed": 0, "changed": 0, "same": 0}
    names: dict[str, None] = {}
    for pair in compare((reads[0].graph, reads[0].folded), (reads[1].graph, reads[1].folded)):
        counts[pair.status] += 1
        if pair.status == "same":
            continue
        if pair.after is not None:
            node = reads[1].folded.nodes[pair.after]
        else:
            assert pair.before is not None
            node = reads[0].folded.nodes[pair.before]
        told = f"{_SIGNS[pair.status]} {node.label} {_how(reads, pair, variables)}"
        names[told.strip()] = None
    if not counts["added"] + counts["removed"] + counts["changed"]:
        return None
    return GraphChange(
        before,
        after,
        counts["added"],
        counts["removed"],
        counts["changed"],
        len(reads[1].folded.nodes),
        tuple(names)[:_NAMES],
    )


def _how(reads: Sequence[Read], pair: Pair, variables: AbstractSet[str]) -> str:
    """Say which values a changed node has now, ``2.25 → 2.5``; empty if more than a few changed."""
    if pair.before is None or pair.after is None:
        return ""
    old, new = reads[0].folded.nodes[pair.before], reads[1].folded.nodes[pair.after]
    found = value_changes(
        (reads[0].graph, old.members, old.shapes),
        (reads[1].graph, new.members, new.shapes),
        variables,
    )
    return ", ".join(map(str, found)) if len(found) <= _VALUES else ""
