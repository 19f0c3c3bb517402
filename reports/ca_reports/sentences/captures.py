"""Captures and compiles in words: why each happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.words.numbers import counted
from ca_reports.words.values import NOTHING, first_few, first_line, short_name, shown_value

if TYPE_CHECKING:
    from ca_engine.guards import Guard
    from ca_reports.run.model import Capture, Change

KIND_WORDS = {
    "first": "first",
    "new_autograd_node": "node",
    "changed_shapes": "shapes",
    "unknown": "unknown",
}
_CHANGES_TOLD = 3


def what_changed(capture: Capture) -> str:
    """Explain why this capture happened, as far as the log tells."""
    if capture.error is not None:
        return f"the capture failed: {first_line(capture.error)}"
    if not capture.is_recapture:
        return "first capture of this process"
    told = describe_changes(capture.changes)
    if capture.kind == "new_autograd_node":
        name = short_name(capture.node.name) if capture.node is not None else "autograd node"
        index = f" (NodeCall {capture.node.index})" if capture.node is not None else ""
        sentence = f"new autograd node {name}{index}"
        if not told and capture.key_size is not None:
            sentence += _key_hint(capture)
    elif capture.kind == "changed_shapes":
        number = len(capture.sizes_changed)
        of = f" of {capture.sizes_total}" if capture.sizes_total is not None else ""
        sentence = f"{number}{of} sizes changed" if number else "sizes changed"
        if not told and number:
            names = [f"sizes[{index}]" for index in capture.sizes_changed]
            sentence += ": " + first_few(names, 4)
    else:
        sentence = first_line(capture.reason) if capture.reason else "no reason in this log"
    if told:
        sentence += f"; {told}"
    if capture.nearest_module:
        sentence += f"; near `{capture.nearest_module}`"
    return sentence


def in_short(capture: Capture) -> str:
    """Say what changed, without the node that torch names where anything better is known."""
    told = describe_changes(capture.changes)
    if not told or capture.error is not None or not capture.is_recapture:
        return what_changed(capture)
    return f"{told}; near `{capture.nearest_module}`" if capture.nearest_module else told


def why_another_node(capture: Capture) -> str | None:
    """Explain why torch's reason names another node than ours; None where it names the same."""
    named = capture.node
    first = next((change for change in capture.changes if change.index is not None), None)
    if (
        named is None
        or first is None
        or any(change.index == named.index for change in capture.changes)
    ):
        return None
    closest = f", !{capture.closest_capture}" if capture.closest_capture is not None else ""
    return (
        f"torch names {short_name(named.name)} (NodeCall {named.index}), the first node where no "
        f"earlier capture matches. Compared with the closest one{closest}, the first difference "
        f"is {short_name(first.name)} (NodeCall {first.index})."
    )


def describe_changes(changes: tuple[Change, ...]) -> str:
    """Return ``SumBackward0 sizes[0], sizes[1]: 10 → 100; 29 parameters got their first .grad``.

    Equal changes in one node, or in several nodes of one name, are one entry.
    """
    nodes: dict[tuple[str, str, str], set[int | None]] = {}
    attributes: dict[tuple[str, str, str], dict[str, None]] = {}
    for change in changes:
        key = (short_name(change.name), shown_value(change.before), shown_value(change.after))
        nodes.setdefault(key, set()).add(change.index)
        attributes.setdefault(key, {})[change.attribute] = None
    told = []
    for key, indices in nodes.items():
        name, before, after = key
        told.append(_change(name, len(indices), list(attributes[key]), before, after))
    return first_few(told, _CHANGES_TOLD, "; ", "; and ")


def _change(name: str, nodes: int, attributes: list[str], before: str, after: str) -> str:
    """Return one entry of `describe_changes`."""
    times = f"{nodes} × " if nodes > 1 else ""
    if attributes == ["node"]:
        if NOTHING in (before, after):
            return f"{times}{name} {'added' if before == NOTHING else 'removed'}"
        return f"{times}{short_name(after)} replaced {short_name(before)}"
    if attributes == [".grad"] and name == "AccumulateGrad":
        whose = "its" if nodes == 1 else "their"
        happened = f"got {whose} first" if before == NOTHING else f"lost {whose}"
        return f"{counted(nodes, 'parameter')} {happened} .grad"
    what = f"{times}{name} {first_few(attributes, 4)}".strip()
    return f"{what}: {before} → {after}"


def guard_in_short(guard: Guard) -> str:
    """Return a guard that failed, in one line."""
    return " ".join(first_line(guard.text).split())


def _key_hint(capture: Capture) -> str:
    """Say what the sizes of the cache keys show (measured), when nothing better is known."""
    if not capture.previous_key_sizes:
        return "; another node was there before"
    if capture.key_size in capture.previous_key_sizes:
        return "; the same node with another value baked in"
    return "; the same node with something more or less attached"
