"""A large file in pieces, which somebody else looks through ahead of its reader.

Half of the time of reading goes into finding where records end and into checking what nobody
reads. Who looks a piece through says where in it records stand; the reader takes those as if it
had found them itself, and never sees the rest.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.blocks import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ca_reports.logs.stored import StoredText

# What a span is: a record's line, a payload that is wanted or not, records to be stepped over.
LINE, WANTED, UNWANTED, QUIET, END = range(5)


class Span(NamedTuple):
    """A block of a piece: the byte and the line at which it begins, both from 0.

    ``records`` of process ``pid`` are stepped over; ``packed`` is all of a wanted payload. It ends
    where the next one begins; the last span of a piece is its end.
    """

    kind: int
    at: int
    line: int
    records: int = 0
    pid: int = 0
    packed: StoredText | None = None


@dataclass(slots=True)
class Piece:
    """Whole lines of an open file, from byte ``begin`` to ``end``; a record begins there.

    ``spans`` waits for what was found in it; None says that it must be read.
    """

    descriptor: int
    begin: int
    end: int
    spans: Callable[[], list[Span] | None]
    _read: int = 0

    @property
    def size(self) -> int:
        return self.end - self.begin

    def read(self, size: int) -> bytes:
        """Read up to ``size`` bytes further; ``b""`` at the end."""
        at = self.begin + self._read
        data = os.pread(self.descriptor, min(size, self.end - at), at)
        self._read += len(data)
        return data

    def blocks(self, spans: list[Span], line: int) -> Generator[Block, None, int]:
        """Make what `blocks.blocks` would; ``line`` is the number of the first line."""
        for (kind, at, lines, records, pid, packed), after in pairwise(spans):
            data = b""
            if kind in (LINE, WANTED) and packed is None:
                begin = at + (kind == WANTED)  # after its tab
                data = os.pread(self.descriptor, after.at - 1 - begin, self.begin + begin)
            payload = kind in (WANTED, UNWANTED)
            yield Block(line + lines, at, payload, data, True, True, records, pid, payload, packed)
        return line + spans[-1].line
