"""Inputs that a compiled forward changes in place and its backward reads, by AOTAutograd.

The graph of the forward computes the new value, and copies it into the input at its end. So each
read of the input in either graph means the value before. The backward runs after that copy: what it
reads is the new value, and it computes other gradients than eager's backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.run.build.graph_lines import graph_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.run.model import Frame

FORWARD = "aot_forward_graph"
BACKWARD = "aot_backward_graph"
MAX_CHANGED = 64
_COPY = b".copy_.default(primals_"
# ``torch.ops.aten.copy_.default(primals_4, add)``, the last lines of a forward.
_COPIED = expression(r"\.copy_\.default\((?P<input>primals_\d{1,6}), (?P<value>\w{1,200})\)")
_INPUT = expression(r"\bprimals_\d{1,6}\b")
_HEADER = "def forward("


def changed_in_place(code: bytes) -> dict[str, Frame | None]:
    """Return the inputs that a forward's graph copies a new value into.

    Each with the user's line that the value was made at; None if the graph doesn't say.
    """
    if _COPY not in code:
        return {}
    text = code.decode("utf-8", "replace")
    lines = graph_lines(text)
    found: dict[str, Frame | None] = {}
    for match in _COPIED.finditer(text):
        found[match["input"]] = lines.get(match["value"])
        if len(found) == MAX_CHANGED:
            break
    return found


def read_after_change(code: bytes, changed: Mapping[str, Frame | None]) -> tuple[Frame | None, ...]:
    """Return the lines of those of ``changed`` that a backward's graph is given, each line once."""
    if not changed:
        return ()
    text = code.decode("utf-8", "replace")
    header = text.partition(_HEADER)[2].partition("):")[0]
    given = dict.fromkeys(_INPUT.findall(header))
    return tuple(dict.fromkeys(changed[name] for name in given if name in changed))
