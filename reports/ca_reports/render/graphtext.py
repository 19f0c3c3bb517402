"""What can be counted in the code of a captured graph without running or parsing it."""

from __future__ import annotations

import re
from collections import Counter

_ASSIGNMENT = re.compile(r"^ +[A-Za-z_]\w*(?: *: *[^=\n]+)? = (?P<value>[^\n]+)$", re.M)
_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\(")
_ITEM = re.compile(r"[A-Za-z_]\w*\[")
# How FX writes the modules of these functions into their names.
_PREFIXES = ("torch__dynamo_compiled_autograd_ops_", "torch__dynamo_external_utils_", "torch.ops.")


def node_counts(code: str) -> dict[str, int]:
    """How often each function is called in ``code``, most often first.

    Counts the lines ``name = call(…)`` that FX writes, one a node; item access counts as
    ``getitem``, arithmetic on sizes as ``operator``.
    """
    counts: Counter[str] = Counter()
    for found in _ASSIGNMENT.finditer(code):
        written = found["value"]
        call = _CALL.match(written)
        if call is not None:
            name = call["name"]
            for prefix in _PREFIXES:
                name = name.removeprefix(prefix)
            counts[name] += 1
        elif _ITEM.match(written):
            counts["getitem"] += 1
        else:
            counts["operator"] += 1
    return dict(counts.most_common())
