"""Bytes → blocks: one log line each, or one whole run of tab-indented payload lines.

A payload may be megabytes of short lines. Python looks at each *block* once and leaves
the lines to ``re`` and ``bytes``, which is what makes reading several times faster than a
loop over lines; memory stays at a few chunks whatever the file holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHUNK = 1 << 18
# The longest part of one line or payload that is handed on in one piece. Real envelopes
# reach about 40 KB (compilation_metrics).
MAX_PIECE = 1 << 22

_TAB = 0x09
_PAYLOAD_END = re.compile(rb"\n(?!\t)")


class Block(NamedTuple):
    """A piece of a log.

    ``line`` is the one-based number of its first line. ``payload`` says whether its lines
    began with a tab; ``data`` are without these. ``first``/``last``: whether it begins / ends
    the line or the payload; a piece that is not the first begins in the middle of a line or
    with its newline.
    """

    line: int
    payload: bool
    data: bytes
    first: bool
    last: bool


def blocks(read: Callable[[int], bytes]) -> Iterator[Block]:
    """Cut what ``read(size)`` returns into blocks, without their final newline.

    ``read`` returns ``b""`` at the end. Whatever it raises is passed on.
    """
    buffer = b""
    position = 0
    line = 1
    ended = False
    inside = False  # the middle of a line or payload that was too long for one piece
    payload = False
    while True:
        if position >= len(buffer) and ended:
            if inside:
                yield Block(line, payload, b"", False, True)
            return
        if position < len(buffer):
            if not inside:
                payload = buffer[position] == _TAB
            if payload:
                end, after = _find_end(buffer, position, ended)
            else:
                end = buffer.find(b"\n", position)
                after = end + 1
                if end < 0 and ended:
                    end = after = len(buffer)
            if end >= 0:
                if payload:
                    data, newlines = _without_tabs(buffer[position + (not inside) : end])
                    yield Block(line, True, data, not inside, True)
                    line += newlines
                else:
                    yield Block(line, False, buffer[position:end], not inside, True)
                line += 1
                position = after
                inside = False
                continue
            if len(buffer) - position >= MAX_PIECE:
                # Cut a payload before a newline, so that no "\n\t" is torn apart.
                cut = buffer.rfind(b"\n", position + 1) if payload else -1
                cut = cut if cut > position else len(buffer)
                data = buffer[position + (payload and not inside) : cut]
                newlines = 0
                if payload:
                    data, newlines = _without_tabs(data)
                yield Block(line, payload, data, not inside, False)
                line += newlines
                position = cut
                inside = True
        chunk = b"" if ended else read(CHUNK)
        ended = ended or not chunk
        buffer = buffer[position:] + chunk
        position = 0


def _find_end(buffer: bytes, position: int, ended: bool) -> tuple[int, int]:
    """Where the payload at ``position`` ends and the next block begins; (-1, -1): not in here."""
    found = _PAYLOAD_END.search(buffer, position)
    # A newline at the very end of the buffer says nothing yet: a tab may follow it.
    if found is not None and (found.end() < len(buffer) or ended):
        return found.start(), found.end()
    if ended:
        return len(buffer), len(buffer)
    return -1, -1


def _without_tabs(data: bytes) -> tuple[bytes, int]:
    """Payload lines without their tabs, and how many newlines are in them.

    Splitting and joining takes two thirds of what `replace` does, and counts the lines.
    """
    lines = data.split(b"\n\t")
    return b"\n".join(lines), len(lines) - 1
