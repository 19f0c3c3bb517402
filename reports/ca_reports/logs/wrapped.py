"""Text that was copied out of a page, or whose long lines were broken at the width of a terminal.

It is put right before it is read. Of a broken text every row but a message's last is as wide as
the terminal, and what goes on has no head of torch's. What stands before the heads (`Decoration`)
stands before each row, as of a quotation, or before each line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.logs.columns import in_lines, is_in_columns
from ca_reports.logs.copied import (
    as_written,
    is_copied,
    is_escaped,
    tabs_before,
    unescaped,
    without_tabs,
)
from ca_reports.logs.decoration import Decoration, without_colours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Bytes that tell whether a text is broken, and of one that is; what comes then is read as it is.
LOOKED_AT = 1 << 16
MOST = 1 << 25
_NARROWEST, _WIDEST = 60, 300
_FEWEST = 2  # rows that are full, with a head
_MOSTLY = 0.8
_LOST = 8  # spaces at the end of a row, which are lost on the way
# Torch's, which stands before each line of a message; absl's, before the first alone, has no
# folder.
_HEAD = expression(
    rb"(?:\[rank\d{1,6}\]: ?)?"
    rb"(?:[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} (?=\d{1,20} [^\s\]/\\]{0,200}[/\\])"
    rb"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] )"
)
_TABBED_HEAD = expression(rb"^\t+" + _HEAD.pattern, re.M)
_RECORD = expression(_HEAD.pattern + rb"[^\]]{1,1100}\] \{")


def unwrapped(read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Return what reads as ``read`` does, but a broken or copied text as it was before."""
    first = read(LOOKED_AT)
    tabs = _tabs_before(first)
    if tabs or _is_changed(first):
        while len(first) < MOST and (more := read(LOOKED_AT)):
            first += more
        first = _as_it_was(without_tabs(first, tabs) if tabs else first)
    waiting = [memoryview(first)]

    def reads(size: int) -> bytes:
        if not waiting:
            return read(size)
        data = waiting.pop()
        if len(data) > size:
            waiting.append(data[size:])
        return bytes(data[:size]) or read(size)

    return reads


def _tabs_before(text: bytes) -> bytes:
    """Return the tabs before each line; none of a trace that was cut within a payload."""
    is_text = len(text) < LOOKED_AT or _TABBED_HEAD.search(text) is not None
    return tabs_before(text) if is_text else b""


def _is_changed(text: bytes) -> bool:
    if _RECORD.search(text) is not None:
        return is_escaped(text)  # payloads have the characters that the program has
    return is_escaped(text) or is_copied(text) or is_in_columns(text) or _Rows(text).width > 0


def _as_it_was(text: bytes) -> bytes:
    if is_escaped(text):
        text = unescaped(text)
    if _RECORD.search(text) is None:
        text = as_written(text)
        if is_in_columns(text):
            plain = without_colours(text)
            return in_lines(without_tabs(plain, tabs_before(plain)))
    rows = _Rows(text)
    return b"\n".join(rows.joined()) if rows.width else text


class _Rows:
    """The rows of a text, without colours, and the ``width`` that they were broken at, or 0."""

    def __init__(self, data: bytes) -> None:
        self._rows = without_colours(data).replace(b"\r\n", b"\n").split(b"\n")
        heads = (_HEAD.search(row) for row in self._rows)
        first = next((found for found in heads if found is not None), None)
        before = b"" if first is None else first.string[: first.start()]
        # Each row was quoted after the text was broken, if it was; each line may have been before.
        for outer in (before, _shared([before, *filter(bytes.strip, self._rows)])):
            decoration = Decoration(outer)
            bare = [decoration.strip(row) if row.strip() else row for row in self._rows]
            if None not in bare:
                self._rows = [row for row in bare if row is not None]
                before = before[len(outer) :]
                break
        self._decoration = Decoration(before)
        self.width = _width(self._rows, self._has_head)

    def _has_head(self, row: bytes) -> bool:
        bare = self._decoration.strip(row)
        return bare is not None and _HEAD.match(bare) is not None

    def joined(self) -> list[bytes]:
        """Return the lines that the rows were."""
        lines: list[bytes] = []
        gap = -1  # spaces between the line so far and the next row, if that may go on
        for row in self._rows:
            has_head = self._has_head(row)
            if gap >= 0 and row.strip() and not has_head:
                lines[-1] += b" " * gap + row
            else:
                lines.append(row)
            gap = self.width - _length(row)
            if gap > (_LOST if has_head else 1):
                gap = -1
        return lines


def _width(rows: Sequence[bytes], has_head: Callable[[bytes], bool]) -> int:
    """Return the width that rows were broken at; 0 where they were not."""
    # A structured trace is read as it is; a character has up to four bytes.
    if max(map(len, rows)) > 4 * _WIDEST or any(_RECORD.search(row) for row in rows):
        return 0
    width = max(map(_length, rows))
    headed = [
        (_length(row), bool(after.strip()) and not has_head(after))
        for row, after in pairwise(rows)
        if has_head(row)
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


def _shared(texts: Sequence[bytes]) -> bytes:
    """Return what all ``texts`` begin with."""
    first, last = min(texts), max(texts)  # all others are between them
    differ = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differ, len(first))]


def _length(row: bytes) -> int:
    return len(row.decode("utf-8", "replace"))
