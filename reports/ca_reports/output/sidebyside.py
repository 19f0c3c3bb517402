"""Two autograd graphs side by side: the nodes that differ, their values, and what is around.

Nodes are ``schema.AutogradNode`` in the order in which a backward visits them. They are matched
by name in that order, as the recorder does when it looks for the changes of a capture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.alignment import common_nodes, in_line
from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import mapping, text
from ca_reports.words.values import short_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Node = Mapping[str, Any]
    Graph = Sequence[Node]

# Equal nodes shown before and after one that differs.
CONTEXT = 1
MAX_ROWS = 24


@dataclass(frozen=True, slots=True)
class Value:
    """One attribute of a node as text; ``differs`` from that of the node beside it."""

    attribute: str
    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class NodeSide:
    """One node: its number and name, what it is called, the values that are worth a look."""

    index: int
    name: str
    parameter: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NodePair:
    """Two matched nodes, or one alone; ``skipped`` equal pairs before it are left out."""

    before: NodeSide | None
    after: NodeSide | None
    same: bool
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The rows to show; ``left_out`` pairs that differ did not fit; ``equal_after`` the last."""

    rows: tuple[NodePair, ...]
    differing: int
    left_out: int
    equal_after: int


def side_by_side(before: Graph, after: Graph) -> SideBySide:
    """Match the nodes of two captures; of equal ones only those next to a difference stay."""
    pairs: list[tuple[Node | None, Node | None, bool]] = []
    for old_place, new_place in in_line(common_nodes(before, after), len(before), len(after)):
        old = None if old_place is None else before[old_place]
        new = None if new_place is None else after[new_place]
        pairs.append((old, new, _same(old, new)))
    differing = [index for index, (_, _, same) in enumerate(pairs) if not same]
    shown: list[int] = []
    for index in differing:
        near = range(max(0, index - CONTEXT), min(len(pairs), index + CONTEXT + 1))
        fresh = [place for place in near if not shown or place > shown[-1]]
        if len(shown) + len(fresh) > MAX_ROWS:
            break
        shown += fresh
    rows = []
    last = -1
    for index in shown:
        old, new, same = pairs[index]
        rows.append(NodePair(_side(old, new), _side(new, old), same, index - last - 1))
        last = index
    return SideBySide(
        tuple(rows),
        len(differing),
        len(differing) - sum(not row.same for row in rows),
        len(pairs) - 1 - last,
    )


def _same(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> bool:
    if old is None or new is None:
        return False
    return old == new or _flat(old) == _flat(new)


def _side(node: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> NodeSide | None:
    if node is None:
        return None
    own = _flat(node)
    beside = _flat(other) if other is not None else {}
    # Of a node that stands alone its values say what it was; of a pair, those that differ.
    names = own if other is None else dict.fromkeys((*own, *beside))
    values = [
        Value(name, shown_value(own.get(name)), other is not None)
        for name in names
        if other is None or own.get(name) != beside.get(name)
    ]
    index = node.get("index")
    return NodeSide(
        index if isinstance(index, int) else -1,
        short_name(text(node.get("name")) or "unknown"),
        text(node.get("parameter")) or "",
        tuple(values[:8]),
    )


def _flat(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's values by the names that changes have: ``self.shape``, ``.grad``."""
    found: dict[str, Any] = dict(mapping(node.get("attributes")))
    for name, tensor in mapping(node.get("tensors")).items():
        for part in ("shape", "dtype"):
            found[f"{name}.{part}"] = mapping(tensor).get(part)
        if "layout" in mapping(tensor):
            found[f"{name}.layout"] = mapping(tensor)["layout"]
    if isinstance(node.get("grad_defined"), bool):
        found[".grad"] = "defined" if node["grad_defined"] else None
        found["parameter"] = node.get("parameter")
        found["shape"] = node.get("shape")
    if node.get("hooks"):
        found["hooks"] = node["hooks"]
    if "aot_id" in node:
        found["aot_id"] = node["aot_id"]
    if "function" in node:
        found["function"] = mapping(node["function"]).get("id")
    return found
