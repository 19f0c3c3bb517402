"""Counts nodes in the code of a captured graph without running or parsing it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from ca_engine.lazy_expressions import expression

_ASSIGNMENT = expression(r"^ +[A-Za-z_]\w*(?: *:[^=\n]+)? = (?P<value>[^\n]+)$")
_CALL = expression(r"^(?P<name>[A-Za-z_][\w.]*)\(")
_ITEM = expression(r"^[A-Za-z_]\w*\[")
# How FX writes the modules of these functions into their names.
_PREFIXES = ("torch__dynamo_compiled_autograd_ops_", "torch__dynamo_external_utils_", "torch.ops.")


def node_counts(code: str) -> dict[str, int]:
    """Count the calls of each function in ``code``, most often first.

    Counts the lines ``name = call(…)`` that FX writes, one a node; item access counts as
    ``getitem``, arithmetic on sizes as ``operator``.
    """
    counts = Counter(map(_counted, code.split("\n")))
    return {name: number for name, number in counts.most_common() if name is not None}


# The captures of one run have most of their lines in common.
@lru_cache(maxsize=65_536)
def _counted(line: str) -> str | None:
    """Return what the node of a line counts as; None for a line that makes none."""
    found = _ASSIGNMENT.match(line)
    if found is None:
        return None
    written = found["value"]
    call = _CALL.match(written)
    if call is None:
        return "getitem" if _ITEM.match(written) else "operator"
    name = call["name"]
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
