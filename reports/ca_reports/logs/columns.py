"""Messages that a logger prints in columns, as `rich`'s handler does: put back into lines.

A time and a level stand before the first row of a message, and the place in the source ends it. A
message is broken at its own column's width, between words, and its further rows stand below it::

    [11/28/26 15:14:09] DEBUG    Recompiling function scale in a.py:14         guards.py:5396
                                     triggered by the following guard failure(s):
                                     - 0/1: tensor 'x' size mismatch at index 0.
                                 expected 3, actual 4
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A time is left out where it is that of the message before.
_HEAD = expression(
    rb"(?:\[[0-9T:., /-]{4,40}\]| {4,42}) (?:DEBUG   |INFO    |WARNING |ERROR   |CRITICAL) (?=\S)"
)
_PLACE = expression(rb"\w{1,100}\.py:[0-9]{1,7}")


def is_in_columns(text: bytes) -> bool:
    """Return whether messages in columns are in a text."""
    return any(_head(row) is not None for row in text.splitlines())


def in_lines(text: bytes) -> bytes:
    """Return a text with each message in columns as the lines that it was."""
    return b"\n".join(_lines(text.splitlines()))


def _lines(rows: Sequence[bytes]) -> Iterator[bytes]:
    indent, width, last = 0, 0, b""
    is_open = False
    for row in rows:
        head = _head(row)
        if head is not None:
            if is_open:
                yield last
            indent, width, last = head
            is_open = True
        elif is_open and row.startswith(b" " * indent) and row.strip():
            more = row[indent:].rstrip()
            if _goes_on(last, more, width):
                # A word that is longer than a row is broken within.
                is_broken = b" " not in last[-width:] and len(last) >= width
                last += more if is_broken else b" " + more
            else:
                yield last
                last = more
        else:
            if is_open:
                yield last
            is_open = False
            yield row
    if is_open:
        yield last


def _head(row: bytes) -> tuple[int, int, bytes] | None:
    """Return where a message begins, how wide its rows are, and its first; None without a head."""
    found = _HEAD.match(row)
    if found is None:
        return None
    whole = row.rstrip()
    place = whole.rpartition(b" ")[2]
    if _PLACE.fullmatch(place) is None:
        return None
    indent = found.end()
    return indent, len(whole) - indent - len(place) - 1, whole[indent : -len(place)].rstrip()


def _goes_on(line: bytes, row: bytes, width: int) -> bool:
    """Return whether ``row`` was broken off ``line``: its first word had no place there."""
    if row.startswith(b" "):
        return False
    # Of a line that was joined the last row counts, of which no more than the width is known.
    word = row.partition(b" ")[0]
    return _length(line, width) + 1 + len(word) > width


def _length(line: bytes, width: int) -> int:
    """Return the length of the last row of a line that was put together of rows of that width."""
    length = -1
    for word in line.split(b" "):
        longer = length + 1 + len(word)
        length = len(word) if length >= 0 and longer > width else longer
    return length
