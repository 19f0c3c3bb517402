"""Removes what stands before every line of a log that went through something else.

Launchers, log collectors, CI services, mails and issues put their own text before each line: a
name, a quotation's ``> ``, an indentation, a time that is another one on each line::

    trainer-0 | Graph break in user code at a.py:7
    2026-11-27T16:19:43.4870000Z     - 0/0: n == 3

A logger of Python's writes its own head before the first line of a message alone.

Every kind of text (``texts``) and the payloads of records take it off here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ca_engine.lazy_expressions import expression
from ca_reports.logs.record import ANSI

# Numbers differ from line to line: times, counts of lines, right-aligned or not.
_NUMBER = expression(rb"[0-9]+")
_PART = expression(rb"[0-9]+|[^0-9]")
_ANY_NUMBER = rb"[0-9]{1,40}"
# No prefix of a log is as long as a line of torch's.
_LONGEST = 512


class Decoration:
    """Text before each line of one message: the same bytes, or the same but for their numbers."""

    def __init__(self, before: bytes) -> None:
        """Take ``before`` from the line where a message begins."""
        self.text = before
        self._bare = before.rstrip()
        self._shape = _shape(before) if len(before) <= _LONGEST else None

    def strip(self, line: bytes) -> bytes | None:
        """Return ``line`` without its decoration; None if it has none, and is another's.

        An empty line may have lost the spaces at its end.
        """
        found = None if self._shape is None else self._shape.match(line)
        if found is not None:
            return line[found.end() :]
        if line.startswith(self.text):
            return line[len(self.text) :]
        return b"" if self._bare and line.rstrip() == self._bare else None

    def shared_with(self, line: bytes) -> Decoration:
        """Return what of this text ``line`` begins with, whatever its numbers.

        A launcher's prefix stands before a message's second line, too, a logger's head does not.
        """
        shared = 0
        parts = zip(
            _PART.findall(self.text[:_LONGEST]), _PART.findall(line[:_LONGEST]), strict=False
        )
        for own, other in parts:
            if own != other and not (own.isdigit() and other.isdigit()):
                break
            shared += len(own)
        return Decoration(self.text[:shared])


@lru_cache(maxsize=256)
def _shape(before: bytes) -> re.Pattern[bytes] | None:
    """Return what matches ``before`` with any numbers; None if it has no number."""
    parts = _NUMBER.split(before)
    if len(parts) == 1:
        return None
    *between, last = parts
    pattern = b"".join(_aligned(part, at == 0) + _ANY_NUMBER for at, part in enumerate(between))
    return re.compile(pattern + re.escape(last))


def _aligned(part: bytes, is_first: bool) -> bytes:
    """Return what matches the text before a number, with any spaces at its end."""
    text = part.rstrip(b" ")
    spaces = rb" *" if text or is_first else rb" +"
    return re.escape(text) + spaces if text != part or is_first else re.escape(part)


def without_colours(line: bytes) -> bytes:
    """Return ``line`` without what a terminal takes for colours and movements."""
    return ANSI.sub(b"", line) if b"\x1b" in line else line
