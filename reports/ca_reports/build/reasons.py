"""torch's texts for a miss of the compiled-autograd cache, taken apart.

Written by ``torch/csrc/dynamo/python_compiled_autograd.cpp``:

- ``Cache miss due to new autograd node: NAME (NodeCall i) with key size K, previous key
  sizes=[a,b,]``
- ``Cache miss due to N changed tensor shapes (total of M): sizes[0], sizes[1]``; up to
  torch 2.6 ``Cache miss due to changed shapes: marking size idx k of NAME (NodeCall i) as
  dynamic``, one line a size

Builds by MSVC put ``struct`` or ``class`` before a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.model import Node

if TYPE_CHECKING:
    from ca_engine.schema import CaptureKind

_ID = re.compile(r"\s*!(\d{1,18}): ?")
_NODE = re.compile(
    r"Cache miss due to new autograd node: (?:(?:struct|class) )?(?P<name>.+?) "
    r"\(NodeCall (?P<index>\d{1,18})\)"
    r"(?: with key size (?P<size>\d{1,18}))?"
    r"(?:, previous key sizes=\[(?P<previous>[\d,\s]*)\])?",
    re.DOTALL,
)
_SHAPES = re.compile(
    r"Cache miss due to (?:\d{1,18} )?changed (?:tensor )?shapes? ?"
    r"(?:\(total of (?P<total>\d{1,18})\))?:? ?(?P<sizes>.*)",
    re.DOTALL,
)
_SIZE = re.compile(r"sizes\[(\d{1,18})\]")
_GRAPH_ROOT = "GraphRoot"


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason and what it says; ``text`` is torch's, without the ``!id: `` before it."""

    text: str
    kind: CaptureKind
    node: Node | None = None
    key_size: int | None = None
    previous_key_sizes: tuple[int, ...] = ()
    sizes_changed: tuple[int, ...] = ()
    sizes_total: int | None = None


def split_id(text: str) -> tuple[int | None, str]:
    """``"!4: Cache miss …"`` → ``(4, "Cache miss …")``; without an id ``(None, text)``."""
    found = _ID.match(text)
    if found is None:
        return None, text.strip()
    return int(found.group(1)), text[found.end() :].strip()


def parse(text: str) -> Reason:
    """Take one text (without its id) apart; a text that torch did not write is ``unknown``.

    The very first capture of a process reads "new autograd node: GraphRoot (NodeCall 0)"
    with no previous key: nothing was there that could have differed, so it is ``first``.
    """
    found = _NODE.search(text)
    if found is not None:
        name = found["name"].strip()
        node = Node(int(found["index"]), name)
        previous = _numbers(found["previous"] or "")
        first = node.index == 0 and name.rsplit("::", 1)[-1] == _GRAPH_ROOT and not previous
        return Reason(
            text=text,
            kind="first" if first else "new_autograd_node",
            node=node,
            key_size=int(found["size"]) if found["size"] else None,
            previous_key_sizes=previous,
        )
    found = _SHAPES.search(text)
    if found is not None:
        return Reason(
            text=text,
            kind="changed_shapes",
            sizes_changed=tuple(int(index) for index in _SIZE.findall(found["sizes"])),
            sizes_total=int(found["total"]) if found["total"] else None,
        )
    return Reason(text=text, kind="unknown")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part[:18]) for part in text.replace(",", " ").split())
