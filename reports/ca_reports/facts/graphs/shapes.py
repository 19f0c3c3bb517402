"""The shapes that ``validate_outputs`` carries in the text of a captured graph."""

from __future__ import annotations

from functools import lru_cache

from ca_engine.lazy_expressions import expression
from ca_reports.torchlib.tensors import SCALAR_NUMBERS

_CHECKED = expression(
    r"\(\(None, None, device\(type='(?P<device>\w+)'[^)]*\), (?P<dtype>\d+), [^()]*\), "
    r"\[(?P<shape>[^\]]*)\], (?:True|False), \d+\)"
)
_MOST = 64


# Fifty captures of a model check the same outputs.
@lru_cache(maxsize=16_384)
def checked_shapes(text: str) -> tuple[str, ...]:
    """Return ``float32[2, 8, 32]`` for each output that one ``validate_outputs`` statement checks.

    A dimension that is a name in the graph is a size that was lifted: it is shown as ``s``.
    """
    found = []
    for match in _CHECKED.finditer(text):
        dtype = SCALAR_NUMBERS.get(int(match["dtype"]), f"dtype {match['dtype']}")
        sizes = [part.strip() for part in match["shape"].split(",") if part.strip()]
        shape = ", ".join(size if size.lstrip("-").isdecimal() else "s" for size in sizes)
        found.append(f"{dtype}[{shape}]")
        if len(found) >= _MOST:
            break
    return tuple(found)
