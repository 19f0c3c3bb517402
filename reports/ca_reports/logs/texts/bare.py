"""Messages of torch's loggers without torch's own heads (``heads``) before them.

People cut the heads off, tools of their own print the text alone, and a program's own loggers
write a head of their format in the place of torch's: before the first line of a message, or before
each. What a head tells is then
read from the text: the compile's ids from the guards that failed, which name earlier compiles. ::

    Recompiling function step in train.py:7
        triggered by the following guard failure(s):
        - 0/1: n == 3
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.logs.decoration import Decoration, without_colours
from ca_reports.logs.texts.base import TextLog
from ca_reports.logs.texts.heads import Head, find_head, find_torn_head
from ca_reports.logs.texts.torchlogs import RAISED, SKIPPED, LoggedProcess, next_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.logs.record import Record

_BREAK = (b"Graph break in user code at ", b"Graph Break in user code at ")
_RECOMPILE = b"Recompiling function "
_MISS = b"Cache miss due to "
_LIMIT = b"torch._dynamo hit config."
# The second line of a limit's warning, where the first was cut; and the lines of what goes on.
_CUT_LIMIT = b"   function: '"
_PLACE = rb"[^\n]{1,4096}:\d{1,9}"
_BEGINNING = expression(
    rb"(?<![^\s>|:\]-])(?:"
    rb"(?P<graph_breaks>Graph [Bb]reak in user code at " + _PLACE + rb"$)"
    rb"|(?P<recompiles>Recompiling function [^\n]{1,1024} in " + _PLACE + rb"$)"
    rb"|(?P<compiled_autograd_verbose>Cache miss due to (?:new autograd node|\d+ changed): [^\n]+$)"
    rb"|(?P<cudagraphs>" + SKIPPED + rb"[^\n]+$)"
    rb"|torch\._dynamo hit config\.\w{1,60} \(\d{1,9}\)$"
    rb"|   function: '[^\n]{1,1024}' \(" + _PLACE + rb"\)$)"
)
# What torch warns of without TORCH_LOGS, as most users would not see the break: 2.4 to 2.6, since.
_WARNED = expression(
    rb"UserWarning: (?P<said>Graph break due to unsupported builtin [^\s]{1,400}(?= )"
    rb"|Dynamo does not know how to trace the builtin `[^`\n]{1,400}`)"
)
# With `error_on_recompile` the message is an exception's text.
_RAISED = expression(rb"(?:torch\._dynamo\.exc\.)?" + RAISED + rb"$")
_MOST_LINES = 500


class BareMessages(TextLog):
    """Takes the lines of one file that are of a message without a head."""

    marks = (*_BREAK, _RECOMPILE, _MISS, _LIMIT, _CUT_LIMIT, SKIPPED, b"UserWarning: ")
    nothing = (
        "it holds messages of torch's loggers without what stands before them, and none of a break "
        "or of a recompile with the guards that failed"
    )

    def __init__(self) -> None:
        """Start with no message."""
        super().__init__()
        self._process = LoggedProcess(None)
        self._close()

    def _close(self) -> None:
        self.is_open = False
        self._lines: list[bytes] = []
        self._begin = self._last = 0
        self._artifact: bytes | None = None
        self._decoration = Decoration(b"")

    def line(self, number: int, data: bytes) -> Iterable[Record]:
        """Take line ``number`` (one-based); the record of the message that it ends."""
        plain = without_colours(data).rstrip()
        if self.is_open:
            text = self._next(plain, is_after_empty=number > self._last + 1)
            if text is not None:
                self.lines += 1
                self._last = number
                self._lines.append(text)
                return ()
        done = self._end()
        warned = _WARNED.search(plain)
        if warned is not None:
            self.lines += 1
            return (
                *done,
                *self._taken(number, b"graph_breaks", [b"Reason: " + warned["said"]]),
            )
        begins = _BEGINNING.search(plain)
        is_torn = number == 1 and find_torn_head(plain) is not None
        head = find_head(plain) if begins is not None else None
        if begins is not None and not is_torn and (head is None or not head.is_torchs):
            self.lines += 1
            self.is_open, self._begin, self._last = True, number, number
            self._artifact = begins.lastgroup.encode() if begins.lastgroup else None
            raised = _RAISED.search(plain[: begins.start()])
            self._decoration = Decoration(plain[: raised.start() if raised else begins.start()])
            self._lines = [(RAISED if raised else b"") + plain[begins.start() :]]
        return done

    def finish(self) -> Iterator[Record]:
        """Yield the record of a message at the end of the file."""
        yield from self._end()

    def _next(self, plain: bytes, *, is_after_empty: bool) -> bytes | None:
        """Return the text of a line that is of the open message; None of any other."""
        taken = len(self._lines)
        if taken >= _MOST_LINES or self._artifact == b"compiled_autograd_verbose":
            return None  # a miss is one line
        more = next_line(
            self._decoration, self._artifact, taken, plain, is_after_empty=is_after_empty
        )
        if more is None or self._begins_another(more[1]):
            return None
        self._decoration, text = more
        return text

    def _begins_another(self, text: bytes) -> bool:
        """Return the line of a function begins a message, unless it is the second of a limit's."""
        is_second = len(self._lines) == 1 and self._lines[0].startswith(_LIMIT)
        return not is_second and _BEGINNING.match(text) is not None

    def _end(self) -> tuple[Record, ...]:
        lines, artifact, begin = self._lines, self._artifact, self._begin
        self._close()
        if not lines:
            return ()
        if artifact == b"graph_breaks" and len(lines) == 1:
            return ()  # somebody's sentence about it
        return self._taken(begin, artifact, lines)

    def _taken(self, begin: int, artifact: bytes | None, lines: list[bytes]) -> tuple[Record, ...]:
        """Return what a message is with a head made for it."""
        head = Head(0, 0, None, None, b"", b"", None, artifact)
        done: list[Record] = []
        for line in lines:
            done += self._process.take(begin, head, line)
        return (*done, *self._process.finish())
