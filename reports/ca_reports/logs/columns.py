"""Messages that a logger prints in columns, as `rich`'s handler does: put back into lines.

A time and a level stand before the first row of a message, and the place in the source ends it. A
message is broken at its own column's width, between words, and its further rows stand below it::

    [11/28/26 15:14:09] DEBUG    Recompiling function scale in a.py:14         guards.py:5396
                                     triggered by the following guard failure(s):
                                     - 0/1: tensor 'x' size mismatch at index 0.
                                 expected 3, actual 4
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_expressions import expression
from ca_reports.logs.decoration import without_colours

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A time is left out where it is that of the message before.
_TIMED = expression(
    rb"\[[0-9T:., /-]{4,40}\] (?:DEBUG   |INFO    |WARNING |ERROR   |CRITICAL) (?=\S)"
)
_UNTIMED = expression(rb" {5,43}(?:DEBUG   |INFO    |WARNING |ERROR   |CRITICAL) (?=\S)")
_PLACE = expression(rb"\w{1,100}\.py:[0-9]{1,7}")
# What launchers, collectors and mails put before each line is no longer.
_MOST_BEFORE = 120
# Numbers of lines differ in length.
_SHORTER = 4


class _Head(NamedTuple):
    """The first row of a message: what is before it, its columns' widths, and what it says."""

    before: bytes
    indent: int
    width: int
    text: bytes


def is_in_columns(text: bytes) -> bool:
    """Return whether messages in columns are in a text, which may be coloured."""
    rows = map(without_colours, text.splitlines())
    return any(_head(row, b"") is not None for row in rows)


def in_lines(text: bytes) -> bytes:
    """Return a text with each message in columns as the lines that it was."""
    return b"\n".join(_lines(text.splitlines()))


def _lines(rows: Sequence[bytes]) -> Iterator[bytes]:
    head: _Head | None = None
    before, last = b"", b""
    for row in rows:
        found = _head(row, b"" if head is None else head.before)
        if found is not None:
            if head is not None:
                yield before + last
            head, before, last = found, found.before, found.text
            continue
        part = None if head is None else _further(row, head)
        if head is None or part is None:
            if head is not None:
                yield before + last
            head = None
            yield row
            continue
        of_row, more = part
        if _goes_on(last, more, head.width):
            # A word that is longer than a row is broken within.
            is_broken = b" " not in last[-head.width :] and len(last) >= head.width
            last += more if is_broken else b" " + more
        else:
            yield before + last
            before, last = of_row, more
    if head is not None:
        yield before + last


def _head(row: bytes, known: bytes) -> _Head | None:
    """Return what a row begins a message with; None if it begins none.

    Without a time it stands behind what is like ``known``, which was before the last one.
    """
    found = _TIMED.search(row, 0, _MOST_BEFORE)
    before = row[: found.start()] if found is not None else _before(row, known)
    if found is None:
        found = _UNTIMED.match(row, len(before))
    if found is None:
        return None
    whole = row.rstrip()
    place = whole.rpartition(b" ")[2]
    if _PLACE.fullmatch(place) is None:
        return None
    begin = found.end()
    width = len(whole) - begin - len(place) - 1
    return _Head(before, begin - len(before), width, whole[begin : -len(place)].rstrip())


def _before(row: bytes, known: bytes) -> bytes:
    """Return what is before the columns of a row: as many spaces end it as end ``known``."""
    words = len(known.rstrip(b" "))
    spaces = len(known) - words
    if not words:
        return row[:spaces]
    end = row.find(b" " * (spaces + 5), max(words - _SHORTER, 0))
    return b"" if end < 0 else row[: end + spaces]


def _further(row: bytes, head: _Head) -> tuple[bytes, bytes] | None:
    """Return what is before a further row of a message, and what that says; None if it is none."""
    before = _before(row, head.before)
    own = row[len(before) :]
    if not own.startswith(b" " * head.indent) or not own.strip():
        return None
    return before, own[head.indent :].rstrip()


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
