"""Looks through a piece of a file for its reader."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ca_reports.read.blocks import CHUNK
from ca_reports.read.damage import DamageLog
from ca_reports.read.pieces import END, LINE, QUIET, UNWANTED, WANTED, Piece, Span
from ca_reports.read.records import HEAD, RecordReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ca_reports.read.blocks import Block
    from ca_reports.read.record import Wanted

_BEGIN = re.compile(rb"\n(?=" + HEAD.pattern + rb")")
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
        self.first_line = 0
        self.spans: list[Span] = []
        self.is_unclear = False

    def _blocks(self) -> Iterator[Block]:
        for block in super()._blocks():
            if not self._see(block):
                self.is_unclear = True
                return
            yield block
        self.spans.append(Span(END, self.bytes, self.first_line))

    def _see(self, block: Block) -> bool:
        if block.quiet:
            last = self.spans[-1]
            if last.kind == QUIET:
                self.spans[-1] = last._replace(records=last.records + block.quiet)
            else:
                span = Span(QUIET, block.at, block.line, block.quiet, block.pid)
                self.spans.append(span)
        elif not (block.first and block.last):
            return False
        elif block.payload:
            if self._pending is None:
                return False
            kind = WANTED if self._pending.wanted else UNWANTED
            self.spans.append(Span(kind, block.at, block.line))
        elif HEAD.match(block.data) is None:
            return False
        else:
            self.spans.append(Span(LINE, block.at, block.line))
        return True
