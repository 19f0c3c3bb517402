"""Torch's own texts of why a backward missed the cache."""

from __future__ import annotations

import re
from typing import NamedTuple

from ca_engine.schema import CaptureKind, NodeRef

_NEW_NODE = re.compile(
    r"Cache miss due to new autograd node: (?:struct )?(?P<name>.+) \(NodeCall (?P<index>\d+)\)"
    r" with key size (?P<size>\d+), previous key sizes=\[(?P<previous>[\d,]*)\]"
)
_SHAPES = re.compile(
    r"Cache miss due to (?P<changed>\d+) changed tensor shapes \(total of (?P<total>\d+)\):"
    r"(?P<sizes>.*)"
)
_SIZE = re.compile(r"sizes\[(\d+)\]")


class Reason(NamedTuple):
    """A parsed miss. What the text does not say is None or empty.

    ``key_size`` and ``previous_key_sizes`` are bytes of C++'s cache key: of the diverging
    node, and of the nodes of its type that were known at that place.
    """

    kind: CaptureKind
    node: NodeRef | None = None
    key_size: int | None = None
    previous_key_sizes: tuple[int, ...] = ()
    sizes_changed: tuple[int, ...] = ()
    sizes_total: int | None = None


def parse_reason(text: str | None) -> Reason:
    """Parses one reason without its ``!<id>: `` prefix; "unknown" if torch gave none."""
    if match := _NEW_NODE.search(text or ""):
        previous = tuple(int(size) for size in match["previous"].split(",") if size)
        return Reason(
            "new_autograd_node",
            {"index": int(match["index"]), "name": match["name"]},
            int(match["size"]),
            previous,
        )
    if match := _SHAPES.search(text or ""):
        changed = tuple(int(index) for index in _SIZE.findall(match["sizes"]))
        return Reason("changed_shapes", sizes_changed=changed, sizes_total=int(match["total"]))
    return Reason("unknown")
