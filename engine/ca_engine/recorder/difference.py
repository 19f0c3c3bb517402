"""Compares the autograd graphs of two captures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ca_engine.alignment import common_nodes
from ca_engine.schema import AutogradNode, CaptureChange

# More changes than this are of no use to a reader.
MAX_CHANGES = 100

# All that `_flatten` reads.
_COMPARED = (
    "attributes",
    "tensors",
    "hooks",
    "parameter",
    "grad_defined",
    "shape",
    "aot_id",
    "function",
)

Graph = Sequence[AutogradNode]


def find_closest(earlier: Sequence[Graph], graph: Graph) -> int:
    """Position of the graph in ``earlier`` that is closest to ``graph``; of a tie the latest.

    That is the one with the largest share of nodes in common, then the one with the fewest
    backwards of a compiled forward that was compiled again since, then the one of whose common
    nodes the fewest differ.
    """
    pairs = [common_nodes(other, graph) for other in earlier]
    shares = [
        len(found) / max(len(other), len(graph), 1)
        for found, other in zip(pairs, earlier, strict=True)
    ]
    most = max(shares)
    best = [index for index, share in enumerate(shares) if share == most]

    def differing(index: int) -> tuple[int, int]:
        pairs_of_nodes = [(earlier[index][old], graph[new]) for old, new in pairs[index]]
        compiled_again = sum(old.get("aot_id") != new.get("aot_id") for old, new in pairs_of_nodes)
        return compiled_again, sum(_differ(old, new) for old, new in pairs_of_nodes)

    return min(reversed(best), key=differing) if len(best) > 1 else best[0]


def find_changes(before: Graph, after: Graph) -> list[CaptureChange]:
    """Return the differences, node by node, in the order of ``after``; at most `MAX_CHANGES`.

    Nodes are aligned by name, so a node that was inserted does not make all later ones
    differ. ``index`` is the node's number in ``after``, None for a node that is gone.
    """
    changes: list[CaptureChange] = []
    pairs = list(_align(before, after))
    for old, new in pairs:
        changes += _node_changes(old, new)
        if len(changes) >= MAX_CHANGES:
            return changes[:MAX_CHANGES]
    same = [(old, new) for old, new in pairs if old and new and old["name"] == new["name"]]
    changes += _wiring_changes(same)
    changes += _alias_changes(same)
    return changes[:MAX_CHANGES]


def _align(
    before: Graph, after: Graph
) -> Iterator[tuple[AutogradNode | None, AutogradNode | None]]:
    """Yield nodes that belong together; what is left between them is paired in order."""
    old = new = 0
    for left, right in [*common_nodes(before, after), (len(before), len(after))]:
        yield from zip_longest(before[old:left], after[new:right])
        yield from zip(before[left : left + 1], after[right : right + 1], strict=True)
        old, new = left + 1, right + 1


def _node_changes(old: AutogradNode | None, new: AutogradNode | None) -> list[CaptureChange]:
    if old is None or new is None or old["name"] != new["name"]:
        present = new or old
        assert present is not None
        return [
            {
                "index": None if new is None else new["index"],
                "before_index": None if old is None else old["index"],
                "name": present["name"],
                "attribute": "node",
                "before": None if old is None else old["name"],
                "after": None if new is None else new["name"],
            }
        ]
    if not _differ(old, new):
        return []
    same_region = old.get("aot_id") == new.get("aot_id")
    left, right = (_flatten(node, with_saved=same_region) for node in (old, new))
    return [
        {
            "index": new["index"],
            "before_index": old["index"],
            "name": new["name"],
            "attribute": attribute,
            "before": left.get(attribute),
            "after": right.get(attribute),
        }
        for attribute in dict.fromkeys((*left, *right))
        if left.get(attribute) != right.get(attribute)
    ]


def _differ(old: AutogradNode, new: AutogradNode) -> bool:
    # As a rule they are equal as wholes, which is told four times as fast.
    return old != new and any(old.get(field) != new.get(field) for field in _COMPARED)


def _wiring_changes(pairs: Sequence[tuple[AutogradNode, AutogradNode]]) -> list[CaptureChange]:
    """Return nodes whose gradients go to other nodes, where both are in both graphs.

    Edges to nodes of one side only say nothing that the nodes themselves do not.
    """
    counterpart = {old["index"]: new["index"] for old, new in pairs}
    known = set(counterpart.values())
    changes: list[CaptureChange] = []
    for old, new in pairs:
        left, right = old.get("next", []), new.get("next", [])
        if len(left) != len(right):
            continue
        moved = [
            (before, after)
            for before, after in zip(left, right, strict=True)
            if before in counterpart and after in known and counterpart[before] != after
        ]
        if moved:
            changes.append(
                {
                    "index": new["index"],
                    "before_index": old["index"],
                    "name": new["name"],
                    "attribute": "next",
                    "before": [counterpart[before] for before, _ in moved],
                    "after": [after for _, after in moved],
                }
            )
    return changes


def _alias_changes(pairs: Sequence[tuple[AutogradNode, AutogradNode]]) -> list[CaptureChange]:
    """Return saved tensors that now are, or no longer are, the same tensor as another one.

    Numbers of tensors are of no use across graphs, so each place is told by the first place
    that holds the same tensor.
    """
    first_old: dict[int, str] = {}
    first_new: dict[int, str] = {}
    changes: list[CaptureChange] = []
    for old, new in pairs:
        if old.get("aot_id") != new.get("aot_id"):
            continue  # their places are not the same ones
        tensors = new.get("tensors", {})
        for slot, left in old.get("tensors", {}).items():
            right = tensors.get(slot)
            if left is None or right is None:
                continue
            here = f"{slot} of {new['name']} (NodeCall {new['index']})"
            before = first_old.setdefault(left["alias"], here)
            after = first_new.setdefault(right["alias"], here)
            if before != after:
                changes.append(
                    {
                        "index": new["index"],
                        "before_index": old["index"],
                        "name": new["name"],
                        "attribute": f"{slot} is",
                        "before": "a tensor of its own" if before == here else before,
                        "after": "a tensor of its own" if after == here else after,
                    }
                )
    return changes


def _flatten(node: AutogradNode, *, with_saved: bool) -> dict[str, object]:
    """Return all that can differ about a node, under the names that users read.

    What an AOT region saved is of no use beside another region, which saves what it needs in
    an order of its own.
    """
    values: dict[str, object] = dict(node.get("attributes", {}))
    if not with_saved:
        values.pop("symints", None)
    for name, tensor in node.get("tensors", {}).items() if with_saved else ():
        values[f"{name}.shape"] = None if tensor is None else tensor["shape"]
        values[f"{name}.dtype"] = None if tensor is None else tensor["dtype"]
        if tensor is not None and "layout" in tensor:
            values[f"{name}.layout"] = tensor["layout"]
    if "grad_defined" in node:
        values[".grad"] = "defined" if node["grad_defined"] else None
        values["parameter"] = node.get("parameter")
        values["shape"] = node.get("shape")
    values["hooks"] = node.get("hooks", 0)
    if "aot_id" in node:
        values["aot_id"] = node["aot_id"]
    if "function" in node:
        values["function"] = node["function"]["id"]
    return values
