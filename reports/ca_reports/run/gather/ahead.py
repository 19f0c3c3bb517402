"""Has a large file looked through by other processes while it is read."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.logs.lookahead import begin_of_record, look_through
from ca_reports.logs.pieces import Piece
from ca_reports.run.gather.helping import can_fork, end_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from ca_reports.logs.pieces import Span
    from ca_reports.logs.record import Wanted

# Below so many bytes, starting helpers takes longer than they save.
WORTH_HELPERS = 32 << 20
SIZE = 8 << 20
# How many pieces are looked through before the reader comes to them: they wait in memory.
_AHEAD = 8
# A record begins within so many bytes, or the piece becomes longer.
_SEARCHED = 1 << 20


class Ahead:
    """The pieces of a file; ``read`` what comes after them, and while it grows."""

    def __init__(
        self,
        name: str,
        descriptor: int,
        executor: ProcessPoolExecutor,
        wanted: Wanted,
    ) -> None:
        """Have ``executor`` look through the file ``name``, which is open as ``descriptor``."""
        self._name = name
        self._descriptor = descriptor
        self._executor = executor
        self._wanted = wanted
        self._end = 0

    def __iter__(self) -> Iterator[Piece]:
        """Cut off a piece every `SIZE` bytes or so, and have the next ones looked through."""
        waiting: deque[Piece] = deque()
        begin = 0
        size = os.fstat(self._descriptor).st_size
        # What is left after the last piece is read while nobody helps.
        for place in range(SIZE, size - SIZE // 8, SIZE):
            end = begin_of_record(self._descriptor, max(place, begin), place + _SEARCHED)
            if end is None:
                continue
            # Only the reader of the first piece can tell whether the file is a log.
            spans = self._looked_through(begin, end) if begin else _nothing
            waiting.append(Piece(self._descriptor, begin, end, spans))
            self._end = begin = end
            if len(waiting) > _AHEAD:
                yield waiting.popleft()
        yield from waiting

    def read(self, size: int) -> bytes:
        """Read up to ``size`` bytes of what comes after the pieces."""
        data = os.pread(self._descriptor, size, self._end)
        self._end += len(data)
        return data

    def _looked_through(self, begin: int, end: int) -> Callable[[], list[Span] | None]:
        try:
            future = self._executor.submit(look_through, self._name, begin, end, self._wanted)
        except RuntimeError:  # the helpers were killed
            return _nothing
        return partial(_found, future)


def _found(future: Future[list[Span] | None]) -> list[Span] | None:
    if future.cancel():
        return None  # the helpers are behind: who waits reads it himself
    try:
        return future.result()
    except Exception:
        return None  # whatever is wrong with the file is seen, and said, by who reads it himself


def _nothing() -> None:
    return None


@contextmanager
def looked_ahead(name: str, helpers: int, wanted: Wanted) -> Iterator[Ahead | None]:
    """Open a local file that ``helpers`` are worth; None for any other.

    Raises OSError if it cannot be opened.
    """
    if not helpers or not can_fork() or not _is_large(name):
        yield None
        return
    descriptor = os.open(name, os.O_RDONLY)
    executor = ProcessPoolExecutor(
        helpers,
        mp_context=multiprocessing.get_context("fork"),
        initializer=_help,
        initargs=(os.getpid(),),
    )
    try:
        yield Ahead(name, descriptor, executor, wanted)
    finally:
        executor.shutdown(cancel_futures=True)
        os.close(descriptor)


def _is_large(name: str) -> bool:
    path = Path(name)
    return path.is_file() and path.stat().st_size >= WORTH_HELPERS


def _help(parent: int) -> None:
    end_with(parent)
    gc.disable()  # for the reason that `gc_paused` tells
    # Ctrl-C is for the process that reads, which ends its helpers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
