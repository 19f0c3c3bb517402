"""Text whose long lines were broken at the width of a terminal, as what is copied out of one.

Every row but a message's last is then as wide as the terminal, and what goes on has no head of
torch's. Such a text is put together before it is read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_reports.logs.record import ANSI

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Bytes that tell whether a text is broken, and of one that is; what comes then is read as it is.
LOOKED_AT = 1 << 16
MOST = 1 << 25
_NARROWEST, _WIDEST = 60, 300
_FEWEST = 2  # rows that are full, with a head
_MOSTLY = 0.8
_LOST = 8  # spaces at the end of a row, which are lost on the way
_QUOTES = (b"> ", b"    ")
_HEAD = re.compile(
    rb"(?:\[rank\d{1,6}\]: ?)?"
    rb"(?:[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} |\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] )"
)
_RECORD = re.compile(_HEAD.pattern + rb"[^\]]{1,1100}\] \{")


def unwrapped(read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Return what reads as ``read`` does, but the lines of a broken text whole."""
    first = read(LOOKED_AT)
    if _width(_rows(first)):
        while len(first) < MOST and (more := read(LOOKED_AT)):
            first += more
        rows = _rows(first)
        first = b"\n".join(_joined(rows, _width(rows))) if _width(rows) else first
    waiting = [memoryview(first)]

    def reads(size: int) -> bytes:
        if not waiting:
            return read(size)
        data = waiting.pop()
        if len(data) > size:
            waiting.append(data[size:])
        return bytes(data[:size]) or read(size)

    return reads


def _rows(data: bytes) -> list[bytes]:
    """The rows of a text, without colours and the marks of a quotation."""
    rows = ANSI.sub(b"", data).replace(b"\r\n", b"\n").split(b"\n")
    for quote in _QUOTES:
        if all(row.startswith(quote) for row in rows if row.strip()):
            return [row[len(quote) :] for row in rows]
    return rows


def _width(rows: Sequence[bytes]) -> int:
    """The width that rows were broken at; 0 where they were not."""
    # A structured trace is read as it is; a character has up to four bytes.
    if max(map(len, rows)) > 4 * _WIDEST or any(_RECORD.match(row) for row in rows):
        return 0
    width = max(map(_length, rows))
    headed = [
        (_length(row), bool(after.strip()) and _HEAD.match(after) is None)
        for row, after in pairwise(rows)
        if _HEAD.match(row)
    ]
    full = [goes_on for length, goes_on in headed if length == width]
    # Before what a program prints itself any row may stand.
    before_others = [length for length, goes_on in headed if goes_on]
    near = [length for length in before_others if length >= width - _LOST]
    # A line may be as long as the terminal is wide, too.
    is_broken = sum(full) >= max(_FEWEST, _MOSTLY * len(full)) and len(near) >= _MOSTLY * len(
        before_others
    )
    return width if is_broken and _NARROWEST <= width <= _WIDEST else 0


def _joined(rows: Sequence[bytes], width: int) -> list[bytes]:
    lines: list[bytes] = []
    gap = -1  # spaces between the line so far and the next row, if that may go on
    for row in rows:
        has_head = _HEAD.match(row) is not None
        if gap >= 0 and row.strip() and not has_head:
            lines[-1] += b" " * gap + row
        else:
            lines.append(row)
        gap = width - _length(row)
        if gap > (_LOST if has_head else 1):
            gap = -1
    return lines


def _length(row: bytes) -> int:
    return len(row.decode("utf-8", "replace"))
