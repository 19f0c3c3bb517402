"""Python's traceback of an exception out of a compile → torch's record of that exception.

What a program prints when it ends, or when it says what it caught, stands in no artifact of torch's
logs. Behind a launcher's prefix every line of it has that prefix. ::

    [rank0]: Traceback (most recent call last):
    [rank0]:   File "train.py", line 12, in <module>
    [rank0]:     fast(x)
    [rank0]: torch._dynamo.exc.Unsupported: Data-dependent branching
    [rank0]:   Explanation: …
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_engine.tracebacks import (
    COMPILERS_ERRORS,
    HEAD,
    frames_in,
    is_compilers_file,
    is_graphs_frame,
    split,
)
from ca_reports.logs.decoration import Decoration, without_colours
from ca_reports.logs.record import Record
from ca_reports.logs.texts.base import TextLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Between two tracebacks, of which the second exception came of the first.
_CHAINED = (b"The above exception was the direct cause", b"During handling of the above exception")
# Where Dynamo logs what it keeps from the program, as `suppress_errors` asks for.
_SUPPRESSED = expression(rb"[VIWEC]\d{4} [^\]\n]{1,1024}_dynamo/convert_frame\.py:\d{1,9}\] ")
_HEAD = HEAD.encode()
_FRAME = b'  File "'
# A frame, where the beginning of its traceback was cut off; the line of an exception out of a
# compile, where all of its frames were.
_CUT_FRAME = expression(rb'  File "[^"\n]{1,4096}", line \d{1,9}, in ')
_CUT_MARKS = tuple(f"{module}.".encode() for module in COMPILERS_ERRORS)
_CUT_RAISED = expression(rb"(?:" + rb"|".join(map(re.escape, _CUT_MARKS)) + rb")\w{1,100}(?::|$)")
_RANK = expression(rb"\[(?:rank|default)(?P<rank>\d{1,6})\]:")
# Of a text, so many lines; more frames than this are a recursion.
_MOST_LINES = 2_000
_MOST_OF_MESSAGE = 200
_LONGEST_LINE = 4_096
# What an exception's text of torch's goes on with after an empty line.
_GOES_ON = (b" ", b"from user code:", b"User stack:", b"Set TORCHDYNAMO_VERBOSE=1")


class Tracebacks(TextLog):
    """Takes the lines of one file that are of a traceback, and what they end with."""

    marks = (_HEAD, _FRAME, *_CUT_MARKS)
    nothing = (
        "it holds tracebacks, but of no exception that came out of a compile; TORCH_TRACE=<folder> "
        "or `ca run` says what was compiled"
    )

    def __init__(self) -> None:
        """Start with none open."""
        super().__init__()
        # Of a chain of exceptions, the last that came out of a compile.
        self._kept: Record | None = None
        self._is_chained = False
        self._close()

    def _close(self) -> None:
        self.is_open = False
        self._decoration = Decoration(b"")
        self._begin = 0
        self._last = 0  # the reader leaves out empty lines
        self._lines: list[bytes] = []
        self._message = 0  # lines of the exception's text so far; 0: still in the frames

    def line(self, number: int, data: bytes) -> Iterable[Record]:
        """Take line ``number`` (one-based); the record of the traceback that it ends."""
        data = without_colours(data)
        at = data.find(_HEAD)
        if at < 0 and not self.is_open:
            self._is_chained |= any(words in data for words in _CHAINED)
            return self._begin_cut(number, data)
        if at >= 0:
            return self._open(number, data[:at])
        stripped = self._decoration.strip(data)
        if stripped is None:
            return ()  # another process's, in between
        text = stripped[:_LONGEST_LINE].rstrip()
        if not text:
            return ()  # behind a prefix; the reader leaves out the others
        is_after_empty, self._last = number > self._last + 1, number
        if self._message == 1 and text.startswith(_FRAME) and not is_after_empty:
            # No exception: what is left of a frame that was cut, or what stands for such.
            self._lines.pop()
            self._message = 0
        if not self._lines and not text.startswith(b" "):
            return ()  # a frame that was cut: no exception stands before the first
        if self._goes_on(text, is_after_empty=is_after_empty):
            self._lines += [b"", text] if is_after_empty else [text]
            self.lines += 1
            return ()
        self._end()
        self._is_chained = any(words in text for words in _CHAINED)
        return ()

    def _open(self, number: int, before: bytes) -> tuple[Record, ...]:
        self._end()
        done = () if self._is_chained else self._give()
        self._is_chained = False
        self.is_open, self._begin, self._decoration = True, number, Decoration(before)
        self._last = number
        self.lines += 1
        return done

    def _begin_cut(self, number: int, data: bytes) -> tuple[Record, ...]:
        """Take the first line of a traceback that was pasted without its beginning."""
        frame = _CUT_FRAME.search(data)
        cut = frame or _CUT_RAISED.search(data)
        if cut is None:
            return ()
        done = self._open(number, data[: cut.start()])
        self._lines.append(data[cut.start() :][:_LONGEST_LINE].rstrip())
        self._message = int(frame is None)
        return done

    def finish(self) -> Iterator[Record]:
        """Yield the record of a traceback at the end of the file."""
        self._end()
        yield from self._give()

    def _give(self) -> tuple[Record, ...]:
        kept, self._kept = self._kept, None
        return () if kept is None else (kept,)

    def _goes_on(self, text: bytes, *, is_after_empty: bool) -> bool:
        if len(self._lines) >= _MOST_LINES or self._message >= _MOST_OF_MESSAGE:
            return False
        if self._message:
            self._message += 1
            return not is_after_empty or text.startswith(_GOES_ON)
        if not text.startswith(b" "):
            self._message = 1
        return True

    def _end(self) -> None:
        """Close what is open, and keep it if it is of a compile."""
        lines, prefix, begin = self._lines, self._decoration.text, self._begin
        has_message = self._message > 0
        self._close()
        text = b"\n".join(lines).decode("utf-8", "replace")
        if not has_message or not _is_of_compile(text):
            return
        rank = _RANK.search(prefix)
        envelope = {} if rank is None else {"rank": int(rank["rank"])}
        body = {"name": "dynamo_error", "suppressed": _SUPPRESSED.search(prefix) is not None}
        payload = f"{HEAD}\n{text}".encode()
        self._kept = Record(
            line=begin,
            kind="artifact",
            name="dynamo_error",
            body=body,
            envelope=envelope,
            pid=None,
            strings={},
            payload=payload,
            from_text=True,
        )


def _is_of_compile(text: str) -> bool:
    """Return whether a traceback is of an exception out of a compile, or of a compiled graph."""
    stack, raised = split(f"{HEAD}\n{text}")
    if raised.startswith(COMPILERS_ERRORS):
        return True
    frames = list(islice(frames_in(stack), _MOST_LINES))
    files = [frame.file.replace("\\", "/") for frame in frames]
    own = [file.rpartition("/torch/")[2] for file in files]
    if any(map(is_compilers_file, own)):
        return True
    # A compiled graph, and nothing but torch's below it: no hook of the program's.
    graphs = [
        at
        for at, frame in enumerate(frames)
        if is_graphs_frame(files[at], frame.function) or is_graphs_frame(own[at], frame.function)
    ]
    return bool(graphs) and all("/torch/" in file for file in files[graphs[-1] + 1 :])
