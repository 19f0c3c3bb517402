"""Storage that takes long for each write: a thread waits for it, and the program does not.

Where storage is quick, whoever makes a record writes it: then it is in the file whatever ends
the process a moment later, and the process has no thread that it would not have without us. A
thread writes from when writing has taken more of the time than it may; it takes all that waits
at once, so that a killed process loses what came in during two writes.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import contextmanager
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING

from ca_engine.compat import structured_trace, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

# What writing may take: so many seconds, and so much of the time since the first record.
FREE_SECONDS = 0.05
SHARE = 0.01
# Bytes that may wait; what comes then is left out. And bytes of one write.
MOST_WAITING = 64 << 20
AT_ONCE = 1 << 20
# The end of a process waits for storage that answers, up to a minute; a fork less.
END_WAITS = 60.0
HANGS_AFTER = 10.0
FORK_WAITS = 1.0

_Queue = SimpleQueue[bytes | None]  # None ends its thread

_writers: list[_Writer] = []


def do_not_wait(folder: str) -> None:
    """Have the handlers that write a trace below ``folder`` not keep the program waiting."""
    known = [writer.handler for writer in _writers]
    found = structured_trace.file_handlers(below=folder)
    _writers.extend(_Writer(handler) for handler in found if handler not in known)


def settle() -> None:
    """Wait until all that was recorded is in its file, or its storage hangs."""
    for writer in tuple(_writers):
        writer.settle()


class _Writer:
    """Writes the records of one handler of torch's.

    At first the handler does so, as ever, and only how long it takes is noted. Opening the file
    stays its work, also in a forked child.
    """

    def __init__(self, handler: structured_trace.TraceHandler) -> None:
        self.handler = handler
        self._emit, self._format, self._close = handler.emit, handler.format, handler.close
        self._is_closed = False
        self._begin_again()
        handler.emit = self.emit  # type: ignore[method-assign]
        handler.format = self.format  # type: ignore[method-assign]
        handler.close = self.close  # type: ignore[method-assign]

    def _begin_again(self) -> None:
        """In this process nothing was written yet; threads do not come along into a child."""
        self._pid = os.getpid()
        self._thread: threading.Thread | None = None
        self._earlier_thread: threading.Thread | None = None
        self._queue: _Queue = SimpleQueue()
        self._queued = self._written = 0  # bytes, one counter a thread
        self._is_slow = self._hangs = self._has_left_out = False
        self._begin = self._formatted = perf_counter()
        self._seconds = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; called with the handler's lock held."""
        if self._pid != os.getpid():
            self._begin_again()
        if self._is_slow:
            # Nothing may be done with the file itself, were it a seek by nothing: the kernel
            # lets nobody have it while the thread's write lasts.
            try:
                stream = self.handler.stream
                text = self._format(record) + self.handler.terminator
                self._put(text.encode(stream.encoding, stream.errors))
            except Exception:
                self.handler.handleError(record)
            return
        self._formatted = perf_counter()
        self._emit(record)
        now = perf_counter()
        self._seconds += now - self._formatted
        allowed = FREE_SECONDS + SHARE * (now - self._begin)
        self._is_slow = self._seconds > allowed and not self._is_closed

    def format(self, record: logging.LogRecord) -> str:
        """Format a record before it is written, so that the storage is not blamed for that time."""
        text = self._format(record)
        self._formatted = perf_counter()
        return text

    def _put(self, data: bytes) -> None:
        if self._queued - self._written + len(data) > MOST_WAITING:
            if not self._has_left_out:
                self._has_left_out = True
                size = f"{MOST_WAITING >> 20} MB wait for slow storage"
                self._say(f"the recording is incomplete: {size}")
            return
        self._queued += len(data)
        if self._thread is None and not self._start():
            self._write(data)
        else:
            # `SimpleQueue` as a signal handler may put a record while its thread puts one.
            self._queue.put(data)

    def _start(self) -> bool:
        queue: _Queue = SimpleQueue()
        thread = threading.Thread(
            target=self._run, args=(queue, self._earlier_thread), name="ca-trace", daemon=True
        )
        try:
            with _no_signals():
                thread.start()
        except RuntimeError:  # too many already, or the interpreter ends
            if self._earlier_thread is not None:
                self._earlier_thread.join()
            return False
        self._thread, self._queue = thread, queue
        return True

    def _run(self, queue: _Queue, earlier: threading.Thread | None) -> None:
        if earlier is not None:
            earlier.join()
        try:
            while True:
                found = queue.get()
                data = bytearray()
                while found is not None:
                    data += found
                    if len(data) >= AT_ONCE or queue.empty():
                        break
                    found = queue.get()
                self._write(data)
                if found is None:
                    return
        except OSError:
            self.handler.handleError(logging.makeLogRecord({}))

    def _write(self, data: bytes | bytearray) -> None:
        with memoryview(data) as view:
            done = 0
            while done < len(data):
                done += os.write(self.handler.stream.fileno(), view[done:])
        self._written += len(data)

    def stop(self, patience: float, at_most: float) -> bool:
        """Have all written and the thread end.

        False if nothing was written for ``patience`` seconds, or not all of it in ``at_most``.
        The next record starts another thread.
        """
        self.handler.acquire()
        try:
            thread = self._thread
            if thread is None or self._pid != os.getpid():
                return True
            self._thread, self._earlier_thread = None, thread
            self._queue.put(None)
        finally:
            self.handler.release()
        end = perf_counter() + at_most
        while thread.is_alive():
            before = self._written
            thread.join(min(patience, max(0.0, end - perf_counter())))
            if thread.is_alive() and (self._written == before or perf_counter() > end):
                return False
        return True

    def settle(self) -> None:
        """Wait until all is written; says where it cannot be."""
        if self._hangs:  # nobody waits a second time
            return
        if not self.stop(HANGS_AFTER, END_WAITS):
            self._hangs = True
            size = f"{(self._queued - self._written) / 1e6:.1f} MB were not written in time"
            self._say(f"the recording is incomplete: {size}")

    def close(self) -> None:
        """Close the handler: at the end of a recording, and by `logging` for all handlers.

        It does so at the end of the process, and when the program configures it (`dictConfig`),
        after which the trace goes on in the same file.
        """
        self.settle()
        if structured_trace.is_in_use(self.handler) and self._pid == os.getpid():
            self.handler.flush()
            return
        self._begin_again()
        self._is_closed = True  # a later record opens another file, and nobody closes that
        if self in _writers:
            _writers.remove(self)
        self._close()

    def _say(self, text: str) -> None:
        if sys.stderr is not None:
            place = versions.trace_file(self.handler) or self.handler.root_dir
            sys.stderr.write(f"ca: {text} ({place})\n")


@contextmanager
def _no_signals() -> Iterator[None]:
    """Block signals, so that a thread that starts meanwhile gets none of the program's."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _before_fork() -> None:
    """Python warns of a fork beside threads, and what they hold is held for ever in the child."""
    for writer in tuple(_writers):
        writer.stop(FORK_WAITS, FORK_WAITS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
