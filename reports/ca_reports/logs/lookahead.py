"""Looks through a piece of a file for its reader, and packs what is only kept."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.logs.blocks import CHUNK
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.pieces import END, LINE, QUIET, UNWANTED, WANTED, Piece, Span
from ca_reports.logs.records import HEAD, RecordReader
from ca_reports.logs.stored import StoredText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ca_reports.logs.blocks import Block
    from ca_reports.logs.record import Record, Wanted
    from ca_reports.logs.records import Pending

_BEGIN = expression(rb"\n(?=" + HEAD.pattern + rb")")
_LONGEST_HEAD = 1 << 11


def begin_of_record(descriptor: int, at: int, end: int) -> int | None:
    """Find the first line after ``at``, and before ``end``, that begins as a record does."""
    while at < end:
        data = os.pread(descriptor, CHUNK + _LONGEST_HEAD, at)
        found = _BEGIN.search(data)
        if found is not None:
            return at + found.end()
        at += CHUNK
    return None


def look_through(name: str, begin: int, end: int, wanted: Wanted) -> list[Span] | None:
    """Find the records of a piece; None if anything in it is not as torch writes it.

    Raises OSError if the file cannot be read.
    """
    damage = DamageLog()
    descriptor = os.open(name, os.O_RDONLY)
    try:
        piece = Piece(descriptor, begin, end, lambda: None)
        looking = _Looking(name, piece.read, wanted, damage)
        for _ in looking.records():
            pass
    finally:
        os.close(descriptor)
    return None if damage.items() or looking.is_unclear else looking.spans


class _Looking(RecordReader):
    """Notes the blocks that it reads, until there is one that is not clear by itself."""

    def __init__(
        self, name: str, read: Callable[[int], bytes], wanted: Wanted, damage: DamageLog
    ) -> None:
        super().__init__(name, read, wanted, damage)
        self._kept = wanted.kept
        self._compressor = StoredText.compressor()
        self._payload_at = 0  # in `spans`
        self.first_line = 0
        self.spans: list[Span] = []
        self.is_unclear = False

    def _blocks(self) -> Iterator[Block]:
        for block in super()._blocks():
            if not self._see(block):
                self.is_unclear = True
                return
            yield block
            if self.is_unclear:
                return
        self.spans.append(Span(END, self.bytes, self.first_line))

    def _see(self, block: Block) -> bool:
        if block.quiet:
            self._step_over(Span(QUIET, block.at, block.line, block.quiet, block.pid))
        elif block.other or not (block.first and block.last):
            return False
        elif block.payload:
            if self._pending is None:
                return False
            if self._pending.handed_out:
                kind = WANTED if self._pending.wanted else UNWANTED
                self._payload_at = len(self.spans)
                self.spans.append(Span(kind, block.at, block.line))
        else:
            self.spans.append(Span(LINE, block.at, block.line))
        return True

    def _line(self, block: Block, tried: re.Match[bytes] | None) -> Iterator[Record]:
        self.is_unclear = True
        return iter(())

    def _step_over(self, span: Span) -> None:
        """Add ``span`` to the one before it if that is also stepped over."""
        last = self.spans[-1]  # the first record of a piece is never stepped over
        if last.kind == QUIET:
            self.spans[-1] = last._replace(records=last.records + span.records)
        else:
            self.spans.append(span)

    def _record(self, line: int, data: bytes, head: re.Match[bytes]) -> Record | None:
        record = super()._record(line, data, head)
        pending = self._pending
        if pending is not None and not pending.handed_out:
            last = self.spans.pop()
            self._step_over(Span(QUIET, last.at, last.line, 1, int(head.group(2))))
        return record

    def _finish(self, pending: Pending) -> Record:
        record = super()._finish(pending)
        if record.payload is not None and self._kept(record):
            packed = StoredText.pack(record.payload, self._compressor)
            self.spans[self._payload_at] = self.spans[self._payload_at]._replace(packed=packed)
        return record
