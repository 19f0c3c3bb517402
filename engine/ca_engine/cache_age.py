"""Decides which entries of the file of `ca run --cache FILE` go, so that it stays small.

Every start loads the whole file, and a program that is worked on adds graphs at each start.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# An entry that no start has taken or given for so long goes, and beyond so many bytes the longest
# unused do.
MOST_DAYS = 30
MOST_BYTES = 1 << 30


class AgedEntry(NamedTuple):
    """A cached graph or a library: its ``kind`` and ``key``, the ``day`` of its last use, bytes."""

    kind: str
    key: str
    day: int
    size: int


def outdated(entries: Iterable[AgedEntry], today: int) -> set[tuple[str, str]]:
    """Return kind and key of the entries to leave out; none of those that are of ``today``."""
    left = sorted(entries, key=lambda entry: -entry.day)
    gone = set()
    size = 0
    for entry in left:
        size += entry.size
        age = today - entry.day
        if age > 0 and (age > MOST_DAYS or size > MOST_BYTES):
            gone.add((entry.kind, entry.key))
            size -= entry.size
    return gone
