"""What differs between the graphs of one capture in two runs, in numbers and a few names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ca_reports.graphs.diff import compare
from ca_reports.graphs.document import Read

if TYPE_CHECKING:
    from ca_reports.graphs.diff import Status
    from ca_reports.model import Capture

_NAMES = 6
_SIGNS: dict[Status, str] = {"added": "+", "removed": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class GraphChange:
    """How many folded nodes came, went and changed, of ``nodes`` in the later graph.

    ``names`` are the first few, with a sign: ``+ TanhBackward0``.
    """

    before: Capture
    after: Capture
    added: int
    removed: int
    changed: int
    nodes: int
    names: tuple[str, ...]


def graph_change(before: Capture, after: Capture) -> GraphChange | None:
    """What changed in the graph; None if nothing did or one of the two is not in the log."""
    if before.graph is None or after.graph is None:
        return None
    texts = before.graph.text, after.graph.text
    if texts[0] == texts[1]:
        return None
    reads = [
        _without_places(Read.of(text, capture.autograd_graph))
        for text, capture in zip(texts, (before, after), strict=True)
    ]
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
        names[f"{_SIGNS[pair.status]} {node.label}"] = None
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


def _without_places(read: Read) -> Read:
    """Lines of the source shift from commit to commit, and the graph stays the same."""
    nodes = tuple(replace(node, place=None) for node in read.folded.nodes)
    return replace(read, folded=replace(read.folded, nodes=nodes))
