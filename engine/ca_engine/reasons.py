"""Torch's texts for a miss of the compiled-autograd cache, parsed.

Standard library only: the recorder parses the reasons of its own process, `ca_reports` those of
torch's own logs. The texts are written by ``torch/csrc/dynamo/python_compiled_autograd.cpp``:

- ``Cache miss due to new autograd node: NAME (NodeCall i) with key size K, previous key
  sizes=[a,b,]``; older versions of torch leave out the sizes
- ``Cache miss due to N changed tensor shapes (total of M): sizes[0], sizes[1]``; up to
  torch 2.6 ``Cache miss due to changed shapes: marking size idx k of NAME (NodeCall i) as
  dynamic``, one line a size, and before ``Cache miss due to dynamic shapes: collected size idx k
  of NAME (NodeCall i)``

Builds by MSVC put ``struct`` or ``class`` before a name.
"""

from __future__ import annotations

import re

from ca_engine.lazy_expressions import expression
from ca_engine.schema import Miss

_ID = expression(r"^\s*!(\d{1,18}): ?")
_NEW_NODE = "Cache miss due to new autograd node: "
_NODE = expression(
    r"^(?:(?:struct|class) )?(?P<name>.+?) "
    r"\(NodeCall (?P<index>\d{1,18})\)"
    r"(?: with key size (?P<size>\d{1,18}))?"
    r"(?:, previous key sizes=\[(?P<previous>[\d,\s]*)\])?",
    re.DOTALL,
)
_SHAPES = expression(
    r"Cache miss due to (?:(?:\d{1,18} )?changed (?:tensor )?shapes?|dynamic shapes) ?"
    r"(?:\(total of (?P<total>\d{1,18})\))?:? ?(?P<sizes>.*)",
    re.DOTALL,
)
_SIZE = expression(r"sizes\[(\d{1,18})\]")
_GRAPH_ROOT = "GraphRoot"


def split_id(text: str) -> tuple[int | None, str]:
    """Split ``"!4: Cache miss …"``: ``(4, "Cache miss …")``; without an id ``(None, text)``."""
    found = _ID.match(text)
    if found is None:
        return None, text.strip()
    return int(found[1]), text[found.end() :].strip()


def parse(text: str | None) -> Miss:
    """Parse one reason without its id; of kind ``unknown`` if torch gave none or another text."""
    miss: Miss = {
        "kind": "unknown",
        "node": None,
        "key_size": None,
        "previous_key_sizes": [],
        "sizes_changed": [],
        "sizes_total": None,
    }
    _, is_new_node, rest = (text or "").partition(_NEW_NODE)
    if is_new_node and (found := _NODE.match(rest)):
        previous = (found["previous"] or "").replace(",", " ").split()
        miss["kind"] = "new_autograd_node"
        miss["node"] = {"index": int(found["index"]), "name": found["name"].strip()}
        miss["key_size"] = int(found["size"]) if found["size"] else None
        miss["previous_key_sizes"] = [int(size[:18]) for size in previous]
    elif found := _SHAPES.search(text or ""):
        miss["kind"] = "changed_shapes"
        miss["sizes_changed"] = [int(index) for index in _SIZE.findall(found["sizes"])]
        miss["sizes_total"] = int(found["total"]) if found["total"] else None
    return miss


def is_of_empty_cache(miss: Miss) -> bool:
    """Return whether the cache was empty: a process's first capture, or one after a reset."""
    node = miss["node"]
    return (
        node is not None
        and node["index"] == 0
        and node["name"].rpartition("::")[2] == _GRAPH_ROOT
        and not miss["previous_key_sizes"]
    )
