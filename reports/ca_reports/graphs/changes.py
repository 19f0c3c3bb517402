"""What differs between the graphs of one capture in two runs, in numbers and a few names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ca_reports.graphs.diff import compare
from ca_reports.graphs.document import Read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ca_reports.graphs.diff import Pair, Status
    from ca_reports.model import Capture

_NAMES = 6
_LITERALS = 3
# Numbers that are no part of a name, and the words that Python has for constants.
_LITERAL = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:True|False|None)\b")
# ``schema.AutogradNode``.
Nodes: TypeAlias = "Sequence[Mapping[str, Any]]"
_SIGNS: dict[Status, str] = {"added": "+", "removed": "-", "changed": "~"}


@dataclass(frozen=True, slots=True)
class GraphChange:
    """How many folded nodes came, went and changed, of ``nodes`` in the later graph.

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
    """What changed in the graph; None if nothing did or one of the two is not in the log.

    ``nodes_before`` and ``nodes_after`` are their autograd nodes.
    """
    if before.graph is None or after.graph is None:
        return None
    texts = before.graph.text, after.graph.text
    if texts[0] == texts[1]:
        return None
    reads = [
        _without_places(Read.of(text, nodes))
        for text, nodes in zip(texts, (nodes_before, nodes_after), strict=True)
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
        told = f"{_SIGNS[pair.status]} {node.label} {_how(reads, pair)}"
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


def _how(reads: Sequence[Read], pair: Pair) -> str:
    """``2.25 → 2.5``: the numbers or shapes that a changed node has now; empty if it is more."""
    if pair.before is None or pair.after is None:
        return ""
    old, new = reads[0].folded.nodes[pair.before], reads[1].folded.nodes[pair.after]
    literals = [
        [
            literal
            for member in node.members
            if read.graph.nodes[member].kind != "getitem"
            for literal in _LITERAL.findall(read.graph.nodes[member].text)
        ]
        for read, node in zip(reads, (old, new), strict=True)
    ]
    if len(literals[0]) == len(literals[1]):
        pairs = dict.fromkeys(pair for pair in zip(*literals, strict=True) if pair[0] != pair[1])
        if 0 < len(pairs) <= _LITERALS:
            return ", ".join(f"{before} → {after}" for before, after in pairs)
    if old.shapes != new.shapes and len(old.shapes) == len(new.shapes) == 1:
        return f"{old.shapes[0]} → {new.shapes[0]}"
    return ""


def _without_places(read: Read) -> Read:
    """Lines of the source shift from commit to commit, and the graph stays the same."""
    nodes = tuple(replace(node, place=None) for node in read.folded.nodes)
    return replace(read, folded=replace(read.folded, nodes=nodes))
