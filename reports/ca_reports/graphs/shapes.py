"""The shapes that ``validate_outputs`` carries in the text of a captured graph."""

from __future__ import annotations

import re
from functools import lru_cache

# c10::ScalarType (c10/core/ScalarType.h): the numbers are part of torch's ABI.
_DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32",
    7: "float64", 8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip
_CHECKED = re.compile(
    r"\(\(None, None, device\(type='(?P<device>\w+)'[^)]*\), (?P<dtype>\d+), [^()]*\), "
    r"\[(?P<shape>[^\]]*)\], (?:True|False), \d+\)"
)
_MOST = 64


# Fifty captures of a model check the same outputs.
@lru_cache(maxsize=16_384)
def checked_shapes(text: str) -> tuple[str, ...]:
    """``float32[2, 8, 32]`` for each output that one ``validate_outputs`` statement checks.

    A dimension that is a name in the graph is a size that was lifted: it is shown as ``s``.
    """
    found = []
    for match in _CHECKED.finditer(text):
        dtype = _DTYPES.get(int(match["dtype"]), f"dtype {match['dtype']}")
        sizes = [part.strip() for part in match["shape"].split(",") if part.strip()]
        shape = ", ".join(size if size.lstrip("-").isdecimal() else "s" for size in sizes)
        found.append(f"{dtype}[{shape}]")
        if len(found) >= _MOST:
            break
    return tuple(found)
