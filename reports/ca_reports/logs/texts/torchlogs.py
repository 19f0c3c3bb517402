"""``TORCH_LOGS`` text → the records that the structured trace would hold for it.

Many jobs leave nothing but their stderr, with torch's lines (``heads``) somewhere in it: behind a
launcher's prefix, colours or a progress bar, of several processes in turn. A message of several
lines repeats its head on each. What is read here, by artifact:

- ``compiled_autograd_verbose``: reasons of misses (written *before* the capture has an id) and
  the captured graphs; ``compiled_autograd``: the graphs alone
- ``recompiles``, ``recompiles_verbose``: Dynamo's recompiles
- ``graph_breaks``
- ``+dynamo``: where each compile was called from
- ``cudagraphs``, ``perf_hints``: why a compiled graph runs without the CUDA graph asked for
- the warnings that a recompile limit was reached, and of the first `Tensor.item()` that breaks a
  graph, which need no TORCH_LOGS

Read were real texts of 2.11 to 2.15, and those of 2.1 to 2.10 as torch's sources have them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.tracebacks import frames_in
from ca_reports.logs.decoration import Decoration, without_colours
from ca_reports.logs.fields import MAX_TEXT
from ca_reports.logs.record import MAX_PAYLOAD, MAX_PID, Record
from ca_reports.logs.texts.base import TextLog
from ca_reports.logs.texts.heads import MARKS, find_head, find_torn_head, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.logs.texts.heads import Head

# A stderr of a thousand ranks is one file; a damaged one must not become a million states.
MAX_PROCESSES = 10_000
MAX_PENDING_REASONS = 100

_CONTEXT = expression(
    r"(?:!(?P<capture>\d{1,18}))?/?(?:(?P<frame>\d{1,18})/(?P<compiled>\d{1,18}))?"
    r"(?:_(?P<attempt>\d{1,9}))?$"
)
_RECOMPILE = "Recompiling function "
# What stands before it where the program forbids recompiles: it is an exception's text then.
RAISED = b"RecompileError: "
# A failed guard, or a line of the user's stack where it comes from.
_GUARD = expression(r"^\s*- (?P<text>.+)$")
_GRAPH = expression(rb"class CompiledAutograd(?P<capture>\d{0,18})\w*\(")
_MISS = b"Cache miss due to "
# Up to torch 2.6 a miss by sizes is told one line a size.
_SIZE_MISSES = (
    b"Cache miss due to changed shapes: marking size idx ",
    b"Cache miss due to dynamic shapes: collected size idx ",
)
_START = b"torchdynamo start compiling "
_CALLERS = ", stack (elided "
_LIMIT_HIT = b"torch._dynamo hit config."
_LIMIT = expression(r"^torch\._dynamo hit config\.(?P<limit>\w{1,60}) \((?P<value>\d{1,9})\)")
_FUNCTION, _LAST_REASON = "function: '", "last reason: "
# How the warning of a limit begins where its first line was not pasted, and so which limit it was.
_CUT_LIMIT = b"   function: '"
_ADVICE = expression(r"\nTo (?:log all|diagnose) ")
# A compiled graph that runs without a CUDA graph though one was asked for: of these artifacts.
SKIPPED = b"skipping cudagraphs due to "
_HINTS = frozenset((b"cudagraphs", b"perf_hints"))
_ITEM = b"Graph break from `Tensor.item()`"
_ITEM_STACK = "Graph break: from user code at:\n"
# The break that the warning is about, as ``graph_breaks`` would have it.
_ITEM_BREAK = """\
Graph Break Reason: Unsupported Tensor.item() call with capture_scalar_outputs=False
  Explanation: Dynamo does not support tracing `Tensor.item()` with \
config.capture_scalar_outputs=False.

User code traceback:
"""
# What a message of a break goes on with, beside indented lines.
_BREAK_GOES_ON = (b"Graph Break Reason: ", b"User code traceback:", b"Reason: ", b"[...]", b"...")
# What a recompile's message goes on with after an empty line, if all guards are to be shown.
_NEXT_FAILURES = b"    guard "
# Which compile a message without ids is of: the one after the newest whose guard failed.
_FIRST_REASON = expression(r"\n *- (\d{1,18})/(\d{1,18}): ")
_NEWEST_REASON = expression(r"\n *last reason: (\d{1,18})/(\d{1,18}): ")
# With these a new message begins, although its head may equal that of the line before.
_BEGINNINGS = (
    _MISS, b"Recompiling function ", b"Graph break in ", b"Graph break (", b"Graph Break in ",
    b"TRACED GRAPH", _LIMIT_HIT, _START, _ITEM, SKIPPED,
)  # fmt: skip
# What is read of the messages that are no artifact's.
_WITHOUT_ARTIFACT = (_LIMIT_HIT, _CUT_LIMIT, _START, _ITEM)
# Of a break that was shown before, TORCH_LOGS leaves out the stack; the trace does not.
_AGAIN = b" (user stack suppressed due to duplicate graph break)"
_MAX_BREAKS = 5_000
_MAX_CODES = 10_000

_GRAPHS = frozenset((b"compiled_autograd", b"compiled_autograd_verbose"))
_RECOMPILES = frozenset((b"recompiles", b"recompiles_verbose"))
_BREAKS = b"graph_breaks"
_READ = _GRAPHS | _RECOMPILES | {_BREAKS}


class TorchLogs(TextLog):
    """Takes the lines of one file that are no structured records."""

    marks = MARKS
    nothing = (
        "it holds lines of torch's loggers, but nothing of compiled_autograd_verbose, recompiles "
        "or graph_breaks, no recompile limit, no `Tensor.item()` that broke a graph and no CUDA "
        "graph that was skipped; set "
        "TORCH_LOGS=compiled_autograd_verbose,recompiles,graph_breaks, or TORCH_TRACE=<folder>, "
        "which says more"
    )

    def __init__(self) -> None:
        """Start with no process."""
        super().__init__()
        self._processes: dict[bytes, LoggedProcess] = {}
        # The line before: all up to its text, and whose it was. Of a long message, every line
        # begins so, and need not be taken apart.
        self._before = b""
        self._owner: LoggedProcess | None = None
        # Whose message goes on in lines without a head, what stands before each of them, of
        # which artifact it is, how many lines it has, and the number of the last.
        self._goes_on: LoggedProcess | None = None
        self._decoration = Decoration(b"")
        self._artifact: bytes | None = None
        self._taken = self._last = 0
        # The first line of a log that was cut within its head, until the next tells whose it is.
        self._torn: tuple[Head, bytes] | None = None

    def line(self, number: int, data: bytes) -> Iterable[Record]:
        """Take line ``number`` (one-based), and return the records that it completes."""
        has_mark = any(mark in data for mark in MARKS)
        if self._goes_on is not None and self._continues(number, data, has_mark=has_mark):
            return ()
        if not has_mark:
            return ()
        if self._owner is not None and data.startswith(self._before):
            text = data[len(self._before) :]
            if b"] [" not in text and b"\x1b" not in text and not text.startswith(_BEGINNINGS):
                self.lines += 1
                self._owner.more(_shown(text))
                return ()
        return self._take_apart(number, data)

    def _continues(self, number: int, data: bytes, *, has_mark: bool) -> bool:
        """Take a line without a head if the message before it goes on there."""
        assert self._goes_on is not None
        plain = without_colours(data)
        gap = number > self._last + 1
        more = next_line(self._decoration, self._artifact, self._taken, plain, is_after_empty=gap)
        if more is None and self._decoration.strip(plain) is None:
            return False  # another process's, in between
        if more is None or (has_mark and find_head(plain) is not None):
            self._goes_on, self.is_open = None, False
            return False
        self._decoration, text = more
        self.lines += 1
        self._taken += 1
        self._last = number
        self._goes_on.more(text)
        return True

    def _take_apart(self, number: int, data: bytes) -> Iterator[Record]:
        plain = without_colours(data)
        self._owner = self._goes_on = None
        self.is_open = False
        head = find_head(plain)
        if number == 1 and _may_be_torn(head) and not self._processes:
            torn = head or find_torn_head(plain)
            if torn is not None and torn.artifact is not None and self._torn is None:
                self.lines += 1
                self._torn = torn, plain[torn.end :]
                return
        if self._torn is not None and head is not None:
            yield from self._take_torn(head, plain[head.end :])
        last = plain.rfind(b"] [")
        while head is not None:
            # Two processes can tear each other's lines: another head may follow.
            following = find_head(plain, head.end) if last >= head.end else None
            end = following.begin if following is not None else len(plain)
            if head.is_torchs:
                self.lines += 1
                yield from self._take(number, head, plain[head.end : end])
                # The stack of a skipped CUDA graph is often pasted without heads.
                if not head.is_repeated or plain.startswith(SKIPPED, head.end):
                    self._goes_on = self._processes.get(head.pid)
                    self.is_open = self._goes_on is not None
                    self._decoration = Decoration(plain[: head.begin])
                    self._artifact, self._taken, self._last = head.artifact, 1, number
                if head.is_repeated and following is None and plain is data:
                    self._before = data[: head.end]
                    self._owner = self._processes.get(head.pid)
            head = following

    def _take_torn(self, following: Head | None, text: bytes) -> Iterator[Record]:
        """Take the torn first line, as of the process of the line after it where that tells."""
        assert self._torn is not None
        (torn, own), self._torn = self._torn, None
        if following is not None and following.artifact == torn.artifact:
            is_message = following.context == torn.context and following.place.endswith(torn.place)
            goes_on = is_message and not text.startswith(_BEGINNINGS)
            if goes_on:
                torn = following
            elif following.rank is None:
                torn = torn._replace(pid=following.pid)
        yield from self._take(1, torn, own)

    def finish(self) -> Iterator[Record]:
        """Yield the records of what is still open at the end of the file."""
        if self._torn is not None:
            yield from self._take_torn(None, b"")
        for process in self._processes.values():
            yield from process.finish()

    def _take(self, number: int, head: Head, text: bytes) -> Iterator[Record]:
        text = _shown(text)
        process = self._processes.get(head.pid)
        if process is None:
            read = (
                head.artifact in _READ
                or text.startswith(_WITHOUT_ARTIFACT)
                or (head.artifact in _HINTS and text.startswith(SKIPPED))
            )
            if len(self._processes) >= MAX_PROCESSES or not read:
                return
            process = self._processes[head.pid] = LoggedProcess(int(head.pid) if head.pid else None)
        yield from process.take(number, head, text)


class _Code(NamedTuple):
    name: str
    file: str
    line: int


@dataclass(slots=True)
class _Miss:
    """A reason that waits for its capture."""

    line: int
    time: float | None
    text: str


class LoggedProcess:
    """One process: its open message, and the reasons that wait for their capture's id."""

    def __init__(self, pid: int | None) -> None:
        self._pid = pid if pid is not None and pid <= MAX_PID else None
        self._life = 0
        self._rank: int | None = None
        self._key: tuple[bytes | None, ...] | None = None
        self._line = 0
        self._time: float | None = None
        self._artifact_read = ""
        self._lines: list[bytes] = []
        self._size = 0
        self._read = False
        # The warning of the first `Tensor.item()`, which `graph_breaks` has too where it is on.
        self._item: tuple[int, bytes, dict[str, Any]] | None = None
        self._has_breaks = False
        self._begin()

    def _begin(self) -> None:
        """Nothing is known of what this process captures."""
        self._reasons: list[_Miss] = []
        self._last_capture = self._last_timed = -1
        self._breaks: dict[bytes, bytes] = {}
        self._recompiled: dict[str, Any] = {}
        self._codes: dict[int | None, _Code] = {}

    def take(self, number: int, head: Head, text: bytes) -> Iterator[Record]:
        if head.rank is not None:
            self._rank = head.rank
        key = (head.stamp, head.place, head.context, head.artifact)
        if key != self._key or text.startswith(_BEGINNINGS):
            yield from self._flush()
            self._key = key
            self._line = number
        is_of_skip = bool(self._lines) or text.startswith(SKIPPED)
        self._read = (head.artifact in _READ or (head.artifact in _HINTS and is_of_skip)) or (
            head.artifact is None and (bool(self._lines) or text.startswith(_WITHOUT_ARTIFACT))
        )
        self.more(text)

    def more(self, text: bytes) -> None:
        """Take the next line of the open message."""
        if self._read and self._size < MAX_PAYLOAD:
            self._lines.append(text)
            self._size += len(text) + 1

    def finish(self) -> Iterator[Record]:
        yield from self._flush()
        if self._reasons:
            # No capture came of them any more: it failed, or the text ends here. torch
            # counts captures one by one.
            yield from self._captured(self._last_capture + len(self._reasons))
        if self._item is not None and not self._has_breaks:
            self._line, text, context = self._item
            self._artifact_read = ""
            yield self._artifact("dynamo_graph_break_reason", text, context)

    def _flush(self) -> Iterator[Record]:
        lines, self._lines, self._size = self._lines, [], 0
        if self._key is None or not lines:
            return
        artifact = self._key[3]
        context = _context(self._key[2])
        self._time = seconds(self._key[0]) if self._key[0] else None
        self._artifact_read = (artifact or b"").decode("ascii")
        text = b"\n".join(lines)
        if artifact in _GRAPHS:
            yield from self._compiled_autograd(text, context)
        elif artifact in _RECOMPILES:
            said = text.decode("utf-8", "replace")
            yield from self._recompile(said, context or _after(_FIRST_REASON, said))
        elif text.startswith(_START):
            yield from self._started(text.decode("utf-8", "replace"), context)
        elif artifact is None and text.startswith(_ITEM):
            self._first_item(text.decode("utf-8", "replace"), context)
        elif artifact is None:
            said = text.decode("utf-8", "replace")
            yield from self._limit(said, context or _after(_NEWEST_REASON, said))
        elif artifact in _HINTS:
            said = text.decode("utf-8", "replace")
            yield self._record(
                "compilation_metrics", "", {"cudagraph_skip_reason": said}, context, None
            )
        elif artifact == _BREAKS:
            self._has_breaks = True
            yield self._artifact("dynamo_graph_break_reason", self._whole_break(text), context)

    def _first_item(self, text: str, context: dict[str, Any]) -> None:
        _, _, stack = text.partition(_ITEM_STACK)
        if self._item is None:
            self._item = (self._line, (_ITEM_BREAK + stack).encode(), context)

    def _whole_break(self, text: bytes) -> bytes:
        """Return the text of a graph break with its stack, from where it was first shown."""
        place, _, rest = text.partition(b"\n")
        if _AGAIN in place:
            place = place.replace(_AGAIN, b"", 1)
            return self._breaks.get(place, place + b"\n" + rest)
        if len(self._breaks) < _MAX_BREAKS:
            self._breaks[place] = text
        return text

    def _compiled_autograd(self, text: bytes, context: dict[str, Any]) -> Iterator[Record]:
        if text.startswith(_MISS):
            self._miss(text)
            return
        graph = _GRAPH.search(text)
        id = context.get("compiled_autograd_id")
        if id is None and graph is not None:
            # Older torch says it in the graph's name only, or not at all.
            id = int(graph["capture"] or self._last_capture + 1)
            context = {**context, "compiled_autograd_id": id}
        if id is None:
            return
        if id == 0 and self._last_capture > 0:
            # Another job's process of the same number, as in containers.
            reasons = self._reasons[-1:]
            self._begin()
            self._reasons = reasons
            self._life += 1
        yield from self._captured(id)
        if graph is not None:
            if self._last_timed < id:  # without the verbose artifact there are no reasons
                yield from self._began(id, self._time)
            yield self._record("compiled_autograd_graph", "", {}, context, text[graph.start() :])

    def _miss(self, text: bytes) -> None:
        if text.startswith(_SIZE_MISSES):
            last = self._reasons[-1] if self._reasons else None
            if last is not None and last.text.encode().startswith(_SIZE_MISSES):
                if len(last.text) < MAX_TEXT:
                    last.text += "\n" + text.split(b"\n", 1)[0].decode("utf-8", "replace")
                return
        if len(self._reasons) < MAX_PENDING_REASONS:
            reason = text.split(b"\n", 1)[0].decode("utf-8", "replace")
            self._reasons.append(_Miss(self._line, self._time, reason))

    def _captured(self, id: int) -> Iterator[Record]:
        """Capture ``id`` is known: the last reason is its own, those before are failed ones'."""
        if id <= self._last_capture:
            return
        reasons, self._reasons = self._reasons, []
        first = max(self._last_capture + 1, id - len(reasons) + 1)
        self._last_capture = id
        for own, miss in enumerate(reasons[first - id - 1 :], start=first):
            self._line = miss.line
            yield from self._began(own, miss.time)
            yield self._artifact(
                "compiled_autograd_compile_reasons",
                orjson.dumps([f"!{own}: {miss.text}"]),
                {"compiled_autograd_id": own},
            )

    def _began(self, id: int, time: float | None) -> Iterator[Record]:
        """Note when a capture began. When it ended is left out: the text does not tell the time
        that Dynamo took then, and half of what a capture cost would be taken for all.
        """
        self._last_timed = id
        if time is not None:
            event = {
                "name": "compiled_autograd", "ph": "B", "ts": time * 1e6, "args": {"graph_id": id}
            }  # fmt: skip
            context = {"compiled_autograd_id": id}
            yield self._record("chromium_event", "", {}, context, orjson.dumps(event))

    def _recompile(self, text: str, context: dict[str, Any]) -> Iterator[Record]:
        lines = text.removeprefix(RAISED.decode()).split("\n")
        raised = {"fail_reason": RAISED.decode()} if text.startswith(RAISED.decode()) else {}
        name, _, place = lines[0].removeprefix(_RECOMPILE).partition(" in ")
        code = _code(name, place) if lines[0].startswith(_RECOMPILE) else None
        if code is None:
            # A line that was cut: the frame was compiled before, and an id belongs to one function.
            code = self._codes.get(context.get("frame_id"))
        elif "frame_id" in context and len(self._codes) < _MAX_CODES:
            self._codes[context["frame_id"]] = code
        reasons = [found["text"].rstrip() for line in lines if (found := _GUARD.match(line))]
        if code is None or "frame_id" not in context:
            return
        self._recompiled = context
        reason = "\n".join(reasons) or f"{context['frame_id']}/0: "
        yield self._compiled(code, reason, context, **raised)

    def _limit(self, text: str, context: dict[str, Any]) -> Iterator[Record]:
        found = _LIMIT.match(text)
        rest = text if found is None else text.partition("\n")[2]
        function, _, rest = rest.partition("\n")
        function, rest = function.strip(), rest.strip()
        name, _, place = function.removeprefix(_FUNCTION).removesuffix(")").rpartition("' (")
        code = _code(name, place)
        if code is None or "frame_id" not in context:
            return
        if not function.startswith(_FUNCTION) or not rest.startswith(_LAST_REASON):
            return
        said = _ADVICE.split(rest.removeprefix(_LAST_REASON), 1)[0].rstrip()
        # What `recompiles` said of this compile just before is more than the last reason.
        reason = None if context == self._recompiled else said or None
        failed = "Dynamo recompile limit exceeded"
        if found is not None:
            failed += f": config.{found['limit']} ({found['value']})"
        yield self._compiled(code, reason, context, fail_reason=failed)

    def _started(self, text: str, context: dict[str, Any]) -> Iterator[Record]:
        """Who called what is compiled: the frames above it, outermost first."""
        first, _, callers = text.partition("\n")
        name, _, place = first.removeprefix(_START.decode()).partition(_CALLERS)[0].partition(" ")
        code = _code(name, place)
        if code is None or "frame_id" not in context:
            return
        frames = [
            {"filename": file, "line": line, "name": function, "loc": source}
            for file, line, function, source in frames_in(callers)
        ]
        own = {"filename": code.file, "line": code.line, "name": code.name, "loc": ""}
        yield self._record("dynamo_start", "", {"stack": [*frames, own]}, context, None)

    def _compiled(
        self, code: _Code, reason: str | None, context: dict[str, Any], **more: str
    ) -> Record:
        body = {
            "co_name": code.name,
            "co_filename": code.file,
            "co_firstlineno": code.line,
            "start_time": self._time,
            "recompile_reason": reason,
            **more,
        }
        return self._record("compilation_metrics", "", body, context, None)

    def _artifact(self, name: str, payload: bytes, context: dict[str, Any]) -> Record:
        return self._record("artifact", name, {"name": name}, context, payload)

    def _record(
        self, kind: str, name: str, body: Any, context: dict[str, Any], payload: bytes | None
    ) -> Record:
        envelope = context if self._rank is None else {**context, "rank": self._rank}
        return Record(
            line=self._line,
            kind=kind,
            name=name,
            body=body,
            envelope=envelope,
            pid=self._pid,
            strings={},
            payload=payload,
            from_text=True,
            artifact=self._artifact_read,
            life=self._life,
        )


def _code(name: str, place: str) -> _Code | None:
    """Return the function ``name`` at ``a.py:7``."""
    file, _, line = place.rpartition(":")
    if not name or not file or not (line.isascii() and line.isdecimal()) or len(line) > 9:
        return None
    return _Code(name, file, int(line))


def _context(text: bytes | None) -> dict[str, Any]:
    """Return ``!5/7/1`` as the envelope of a record has it; empty without ids."""
    found = _CONTEXT.match((text or b"").decode("ascii", "replace"))
    if found is None:
        return {}
    envelope: dict[str, Any] = {}
    for name, group in (
        ("compiled_autograd_id", "capture"),
        ("frame_id", "frame"),
        ("frame_compile_id", "compiled"),
        ("attempt", "attempt"),
    ):
        if found[group] is not None:
            envelope[name] = int(found[group])
    return envelope


def _after(reason: re.Pattern[str], text: str) -> dict[str, Any]:
    """Return the ids of the compile after the one whose guard failed; empty if none did."""
    found = reason.search(text)
    return (
        {} if found is None else {"frame_id": int(found[1]), "frame_compile_id": int(found[2]) + 1}
    )


def next_line(
    before: Decoration,
    artifact: bytes | None,
    taken: int,
    line: bytes,
    *,
    is_after_empty: bool,
) -> tuple[Decoration, bytes] | None:
    """Return the text of a message's next line, after what stands before each; None of another.

    The message has ``taken`` lines so far, and torch's head at most at its first. Which part of
    ``before`` stands before each line is told by its second. The reader leaves out empty lines.
    """
    for each in (before, before.shared_with(line)) if taken == 1 else (before,):
        text = each.strip(line)
        if text is not None and _goes_on(artifact, taken, text, is_after_empty=is_after_empty):
            return each, text
    return None


def _goes_on(artifact: bytes | None, taken: int, text: bytes, *, is_after_empty: bool) -> bool:
    if artifact == _BREAKS:
        return not text or text.startswith((b" ", *_BREAK_GOES_ON)) or taken == 2
    if is_after_empty:
        return artifact in _RECOMPILES and text.startswith(_NEXT_FAILURES)
    return text.startswith(b" ")


def _may_be_torn(head: Head | None) -> bool:
    return head is None or (head.is_repeated and not head.pid)


def _shown(text: bytes) -> bytes:
    """Return a line up to where a progress bar goes back to its beginning and writes over it.

    Spaces at its end are none of torch's: what fills a terminal's row, or a mail's.
    """
    return (text.split(b"\r", 1)[0] if b"\r" in text else text).rstrip(b" ")
