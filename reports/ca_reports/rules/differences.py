"""What differs between two autograd graphs, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.captures import describe_changes
from ca_reports.text.values import short_name

if TYPE_CHECKING:
    from collections import Counter

    from ca_reports.facts.events import CaptureFacts

_NODES_TOLD = 4


def in_words(found: CaptureFacts) -> str | None:
    """How a capture's graph differs from the closest earlier one; None if nothing is known.

    ``TanhBackward0 replaced ReluBackward0``; ``12 nodes added (4 × AddmmBackward0, …)``;
    ``PowBackward0 exponent: 2.0 → 3.0``.
    """
    added, removed = found.added, found.removed
    parts = []
    if added and removed:
        parts.append(f"{_names(added)} replaced {_names(removed)}")
    elif added:
        parts.append(f"{_nodes(added)} added")
    elif removed:
        parts.append(f"{_nodes(removed)} removed")
    rest = tuple(change for change in found.changes if change.attribute != "node")
    if found.changed("node") and not parts:
        parts.append("the same nodes in another order")
    elif rest and not parts:
        parts.append(describe_changes(rest))
    modes = [f"{name}: {before} → {after}" for name, (before, after) in found.mode_changes.items()]
    parts += modes
    return "; ".join(parts) or None


def _nodes(counted: Counter[str]) -> str:
    number = counted.total()
    return _names(counted) if number == 1 else f"{number} nodes ({_names(counted)})"


def _names(counted: Counter[str]) -> str:
    told = [
        f"{number} × {short_name(name)}" if number > 1 else short_name(name)
        for name, number in counted.most_common(_NODES_TOLD)
    ]
    more = len(counted) - _NODES_TOLD
    return ", ".join(told) + (f", {more} more kinds" if more > 0 else "")
