"""What differs between the autograd graphs of two captures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from ca_engine.schema import AutogradNode, CaptureChange

# More changes than this are of no use to a reader.
MAX_CHANGES = 100
# Largest product of lengths that is aligned exactly; beyond it only the ends are.
MAX_ALIGNMENT = 4_000_000

Graph = Sequence[AutogradNode]


def closeness(before: Graph, after: Graph) -> tuple[float, int]:
    """How close two graphs are; the greater, the closer. Compares like a sort key.

    First the share of nodes that have the same name at the same distance from one of the
    ends, then fewer differing attributes.
    """
    head, tail = _common_ends(before, after)
    longest = max(len(before), len(after), 1)
    same = zip(before[:head], after[:head], strict=True)
    changed = sum(left != right for left, right in same)
    return (head + tail) / longest, -changed


def find_changes(before: Graph, after: Graph) -> list[CaptureChange]:
    """The differences, node by node, in the order of ``after``; at most `MAX_CHANGES`.

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
    head, tail = _common_ends(before, after)
    yield from zip(before[:head], after[:head], strict=True)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    yield from _align_middle(old, new)
    if tail:
        yield from zip(before[-tail:], after[-tail:], strict=True)


def _align_middle(
    old: Graph, new: Graph
) -> Iterator[tuple[AutogradNode | None, AutogradNode | None]]:
    if len(old) * len(new) > MAX_ALIGNMENT:
        blocks = [("replace", 0, len(old), 0, len(new))]
    else:
        matcher = SequenceMatcher(
            None, [node["name"] for node in old], [node["name"] for node in new], autojunk=False
        )
        blocks = list(matcher.get_opcodes())
    for _, old_start, old_end, new_start, new_end in blocks:
        length = max(old_end - old_start, new_end - new_start)
        for offset in range(length):
            left, right = old_start + offset, new_start + offset
            yield (
                old[left] if left < old_end else None,
                new[right] if right < new_end else None,
            )


def _common_ends(before: Graph, after: Graph) -> tuple[int, int]:
    """How many nodes have equal names from the start, and from the end of what is left."""
    shortest = min(len(before), len(after))
    head = 0
    while head < shortest and before[head]["name"] == after[head]["name"]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail]["name"] == after[-1 - tail]["name"]:
        tail += 1
    return head, tail


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


def _wiring_changes(pairs: Sequence[tuple[AutogradNode, AutogradNode]]) -> list[CaptureChange]:
    """Nodes whose gradients go to other nodes, where both those nodes are in both graphs.

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
    """Saved tensors that are now the same tensor as another one, or no longer are.

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
    """All that can differ about a node, under the names that users read.

    What an AOT region saved is of no use beside another region, which saves what it needs in
    an order of its own.
    """
    values: dict[str, object] = dict(node.get("attributes", {}))
    if not with_saved:
        values.pop("symints", None)
    for name, tensor in node.get("tensors", {}).items() if with_saved else ():
        values[f"{name}.shape"] = None if tensor is None else tensor["shape"]
        values[f"{name}.dtype"] = None if tensor is None else tensor["dtype"]
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
