"""Words for the differences between two autograd graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.structure import node_counts
from ca_reports.sentences.captures import describe_changes
from ca_reports.words.numbers import agreeing, counted

if TYPE_CHECKING:
    from collections import Counter

    from ca_reports.facts.events import CaptureFacts


def in_words(found: CaptureFacts) -> str | None:
    """Describe how a capture's graph differs from the closest earlier one; None if unknown.

    ``TanhBackward0 replaced ReluBackward0``; ``12 nodes added (4 × AddmmBackward0, …)``;
    ``PowBackward0 exponent: 2.0 → 3.0``.
    """
    added, removed = found.added, found.removed
    parts = []
    if added and removed:
        parts.append(f"{node_counts(added)} replaced {node_counts(removed)}")
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


def _nodes(found: Counter[str]) -> str:
    names = node_counts(found)
    return agreeing(found.total(), names, f"{counted(found.total(), 'node')} ({names})")
