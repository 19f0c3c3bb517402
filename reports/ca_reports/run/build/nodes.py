"""Autograd nodes of captures as JSON, without what nobody reads of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ca_reports.logs.fields import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

# Nodes that are known to be plain, and the longest of them.
_MOST = 4_096
_LONGEST = 1_024


class PlainNodes:
    """Encodes the nodes of one process's captures (``schema.AutogradNode``).

    Captures of one model differ in a few nodes of thousands: a node is looked through once, and
    known by its JSON when it comes again.
    """

    def __init__(self) -> None:
        """Start with no node known."""
        self._known: set[bytes] = set()

    def as_json(self, nodes: Iterable[dict[str, Any]]) -> bytes:
        """Return the nodes as JSON, one a line, each as `fields.plain` leaves it."""
        return b"\n".join(map(self._as_json, nodes))

    def _as_json(self, node: dict[str, Any]) -> bytes:
        try:
            found = orjson.dumps(node)
        except orjson.JSONEncodeError:  # deeper than it encodes, and than `plain` leaves it
            return orjson.dumps(plain(node))
        if found in self._known:
            return found
        made = orjson.dumps(plain(node))
        if made == found and len(found) <= _LONGEST:
            if len(self._known) >= _MOST:
                self._known.clear()
            # A copy, because what orjson returns keeps a buffer of 4 KB.
            self._known.add(bytes(memoryview(found)))
        return made
