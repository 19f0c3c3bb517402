"""Bytes → blocks: a log line each, a whole run of payload lines, or of records of no interest.

A payload may be megabytes of short lines. Python looks at each *block* once and leaves
the lines to ``re`` and ``bytes``, which is what makes reading several times faster than a
loop over lines; memory stays at a few chunks whatever the file holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ca_reports.logs.quiet import QuietRun
    from ca_reports.logs.stored import StoredText

CHUNK = 1 << 18
# The longest part of one line or payload that is handed on in one piece. Real envelopes
# reach about 40 KB (compilation_metrics).
MAX_PIECE = 1 << 22

_TAB = 0x09
_PAYLOAD_END = expression(rb"\n[^\t]")


class Block(NamedTuple):
    """A piece of a log.

    ``line`` is the one-based number of its first line, ``at`` where that begins, in bytes from
    the first one that was read. ``payload`` says whether its lines begin
    with a tab; `without_tabs` takes them out, but the first, which ``data`` is without.
    ``first``/``last``: whether it begins / ends the line or the payload; a piece that is not the
    first begins in the middle of a line or with its newline. ``quiet`` is how many records, of
    process ``pid``, were stepped over here; ``data`` is empty then. ``checked`` payloads are known
    to be what their records say; ``data`` is empty if nobody wants it, or if it is ``packed``.
    ``other`` says that ``data`` are many lines, none of which is a part of a record.
    ``newlines`` of a payload's ``data`` were counted already, -1 if they were not.
    """

    line: int
    at: int
    payload: bool
    data: bytes
    first: bool
    last: bool
    quiet: int = 0
    pid: int = 0
    checked: bool = False
    packed: StoredText | None = None
    other: bool = False
    newlines: int = -1


def blocks(
    read: Callable[[int], bytes],
    quiet: Callable[[bytes, int], QuietRun | None] | None = None,
    line: int = 1,
) -> Generator[Block, None, int]:
    """Cut what ``read(size)`` returns into blocks, without their final newline.

    ``read`` returns ``b""`` at the end. Whatever it raises is passed on. ``quiet(buffer,
    position)`` returns what need not be handed on. The first line is number ``line``; returned is
    the number of the line after the last.
    """
    buffer = b""
    base = 0  # where the buffer begins
    position = 0
    ended = False
    inside = False  # the middle of a line or payload that was too long for one piece
    payload = False
    while True:
        if position >= len(buffer) and ended:
            if inside:
                yield Block(line, base + position, payload, b"", False, True)
            return line
        if position < len(buffer):
            if not inside:
                payload = buffer[position] == _TAB
                if not payload and quiet is not None:
                    run = quiet(buffer, position)
                    if run is not None:
                        data = b"" if run.records else buffer[position : run.end]
                        yield Block(
                            line, base + position, False, data, True, True, run.records, run.pid,
                            other=not run.records,
                        )  # fmt: skip
                        line += run.lines
                        position = run.end
                        continue
            if payload:
                end, after = _find_end(buffer, position, ended)
            else:
                end = buffer.find(b"\n", position)
                after = end + 1
                if end < 0 and ended:
                    end = after = len(buffer)
            if end >= 0:
                at = base + position
                if payload:
                    data = buffer[position + (not inside) : end]
                    newlines = data.count(b"\n")
                    yield Block(line, at, True, data, not inside, True, newlines=newlines)
                    line += newlines
                else:
                    yield Block(line, at, False, buffer[position:end], not inside, True)
                line += 1
                position = after
                inside = False
                continue
            if len(buffer) - position >= MAX_PIECE:
                # Cut a payload before a newline, so that no "\n\t" is torn apart.
                cut = buffer.rfind(b"\n", position + 1) if payload else -1
                cut = cut if cut > position else len(buffer)
                data = buffer[position + (payload and not inside) : cut]
                yield Block(line, base + position, payload, data, not inside, False)
                line += data.count(b"\n") if payload else 0
                position = cut
                inside = True
        chunk = b"" if ended else read(CHUNK)
        ended = ended or not chunk
        buffer = buffer[position:] + chunk
        base += position
        position = 0


def _find_end(buffer: bytes, position: int, ended: bool) -> tuple[int, int]:
    """Find where the payload at ``position`` ends and the next block begins; else (-1, -1)."""
    found = _PAYLOAD_END.search(buffer, position)
    if found is not None:
        return found.start(), found.start() + 1
    # A newline at the very end of the buffer says nothing yet: a tab may follow it.
    if ended:
        return len(buffer) - buffer.endswith(b"\n"), len(buffer)
    return -1, -1


def without_tabs(block: Block) -> bytes:
    """Take the tab off each line of a payload but the first.

    Where there are no others, deleting all tabs takes half of the time; elsewhere splitting and
    joining takes two thirds of what `replace` does.
    """
    data, newlines = block.data, block.newlines
    if newlines < 0:
        newlines = data.count(b"\n")
    without = data.translate(None, b"\t")
    if len(data) - len(without) == newlines:
        return without
    return b"\n".join(data.split(b"\n\t"))
