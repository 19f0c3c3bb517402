"""``TORCH_LOGS`` text → the records that the structured trace would hold for it.

Many jobs leave nothing but their stderr, with lines such as ::

    [rank0]:V1121 09:34:50.006000 26265 torch/_dynamo/guards.py:5396] [4/1] [__recompiles] text

somewhere in it: behind a launcher's prefix, colours or a progress bar, of several processes in
turn. A message of several lines repeats its head on each. What is read here, by artifact:

- ``compiled_autograd_verbose``: reasons of misses (written *before* the capture has an id) and
  the captured graphs; ``compiled_autograd``: the graphs alone
- ``recompiles``, ``recompiles_verbose``: Dynamo's recompiles
- ``graph_breaks``

Written by ``torch/_logging/_internal.py`` (``TorchLogsFormatter``) since torch 2.5.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from ca_reports.read.record import ANSI, MAX_PAYLOAD, MAX_PID, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

# A stderr of a thousand ranks is one file; a damaged one must not become a million states.
MAX_PROCESSES = 10_000
MAX_PENDING_REASONS = 100

_HEAD = re.compile(
    rb"(?:\[rank(?P<rank>\d{1,6})\]:)?"
    rb"[VIWEC](?P<time>\d{4} \d\d:\d\d:\d\d\.\d{6}) (?P<pid>\d{1,20}) "
    rb"(?P<place>[^\]\n]{1,1024}?:\d+)\] "
    rb"(?:\[(?P<context>[!\d/_-]{1,60})\] )?(?:\[__(?P<artifact>[a-z_]{1,60})\] ?)?"
)
_CONTEXT = re.compile(
    r"(?:!(?P<capture>\d{1,18}))?/?(?:(?P<frame>\d{1,18})/(?P<compiled>\d{1,18}))?"
    r"(?:_(?P<attempt>\d{1,9}))?$"
)
_RECOMPILE = re.compile(r"Recompiling function (?P<name>.+?) in (?P<file>.+):(?P<line>\d{1,9})$")
_GUARD = re.compile(r"^\s*-\s+(?P<text>!?\d[\d/]*: .+)$")
_GRAPH = re.compile(rb"class CompiledAutograd\d+\w*\(")
_MISS = b"Cache miss due to "
# With these a new message begins, although its head may equal that of the line before.
_BEGINNINGS = (
    _MISS, b"Recompiling function ", b"Graph break in ", b"Graph break (", b"Graph Break in ",
    b"TRACED GRAPH",
)  # fmt: skip
# Of a break that was shown before, TORCH_LOGS leaves out the stack; the trace does not.
_AGAIN = b" (user stack suppressed due to duplicate graph break)"
_MAX_BREAKS = 5_000

_GRAPHS = frozenset((b"compiled_autograd", b"compiled_autograd_verbose"))
_RECOMPILES = frozenset((b"recompiles", b"recompiles_verbose"))
_BREAKS = b"graph_breaks"
_READ = _GRAPHS | _RECOMPILES | {_BREAKS}


class TorchLogs:
    """Takes the lines of one file that are no structured records."""

    def __init__(self) -> None:
        """Start with no process."""
        self.lines = 0
        self._processes: dict[bytes, _Process] = {}

    def line(self, number: int, data: bytes) -> Iterator[Record]:
        """Take line ``number`` (one-based); yields the records that it completes."""
        if b"] [" not in data:
            return
        if b"\x1b" in data:
            data = ANSI.sub(b"", data)
        head = _HEAD.search(data)
        while head is not None:
            # Two processes can tear each other's lines: another head may follow.
            following = _HEAD.search(data, head.end())
            end = following.start() if following is not None else len(data)
            if head["context"] is not None or head["artifact"] is not None:
                self.lines += 1
                yield from self._take(number, head, data[head.end() : end])
            head = following

    def finish(self) -> Iterator[Record]:
        """The records of what is still open at the end of the file."""
        for process in self._processes.values():
            yield from process.finish()

    def _take(self, number: int, head: re.Match[bytes], text: bytes) -> Iterator[Record]:
        process = self._processes.get(head["pid"])
        if process is None:
            if len(self._processes) >= MAX_PROCESSES or head["artifact"] not in _READ:
                return
            process = self._processes[head["pid"]] = _Process(int(head["pid"]))
        # A progress bar goes back to the line's beginning and writes over it.
        yield from process.take(number, head, text.split(b"\r", 1)[0])


class _Process:
    """One process: its open message, and the reasons that wait for their capture's id."""

    def __init__(self, pid: int) -> None:
        self._pid = pid if pid <= MAX_PID else None
        self._rank: int | None = None
        self._key: tuple[bytes | None, ...] | None = None
        self._line = 0
        self._lines: list[bytes] = []
        self._size = 0
        self._reasons: list[tuple[int, str]] = []
        self._last_capture = -1
        self._breaks: dict[bytes, bytes] = {}

    def take(self, number: int, head: re.Match[bytes], text: bytes) -> Iterator[Record]:
        if head["rank"] is not None:
            self._rank = int(head["rank"])
        key = (head["time"], head["place"], head["context"], head["artifact"])
        if key != self._key or text.startswith(_BEGINNINGS):
            yield from self._flush()
            self._key = key
            self._line = number
        if head["artifact"] in _READ and self._size < MAX_PAYLOAD:
            self._lines.append(text)
            self._size += len(text) + 1

    def finish(self) -> Iterator[Record]:
        yield from self._flush()
        if self._reasons:
            # No capture came of them any more: it failed, or the text ends here. torch
            # counts captures one by one.
            yield from self._captured(self._last_capture + len(self._reasons))

    def _flush(self) -> Iterator[Record]:
        lines, self._lines, self._size = self._lines, [], 0
        if self._key is None or not lines:
            return
        artifact = self._key[3]
        context = _context(self._key[2])
        text = b"\n".join(lines)
        if artifact in _GRAPHS:
            yield from self._compiled_autograd(text, context)
        elif artifact in _RECOMPILES:
            yield from self._recompile(text.decode("utf-8", "replace"), context)
        elif artifact == _BREAKS:
            yield self._artifact("dynamo_graph_break_reason", self._whole_break(text), context)

    def _whole_break(self, text: bytes) -> bytes:
        """The text of a graph break with its stack, from where it was first shown."""
        place, _, rest = text.partition(b"\n")
        if _AGAIN in place:
            place = place.replace(_AGAIN, b"", 1)
            return self._breaks.get(place, place + b"\n" + rest)
        if len(self._breaks) < _MAX_BREAKS:
            self._breaks[place] = text
        return text

    def _compiled_autograd(self, text: bytes, context: dict[str, Any]) -> Iterator[Record]:
        if text.startswith(_MISS):
            if len(self._reasons) < MAX_PENDING_REASONS:
                reason = text.split(b"\n", 1)[0].decode("utf-8", "replace")
                self._reasons.append((self._line, reason))
            return
        id = context.get("compiled_autograd_id")
        if id is None:
            return
        yield from self._captured(id)
        graph = _GRAPH.search(text)
        if graph is not None:
            yield self._record("compiled_autograd_graph", "", {}, context, text[graph.start() :])

    def _captured(self, id: int) -> Iterator[Record]:
        """Capture ``id`` is known: the last reason is its own, those before are failed ones'."""
        if id <= self._last_capture:
            return
        reasons, self._reasons = self._reasons, []
        first = max(self._last_capture + 1, id - len(reasons) + 1)
        self._last_capture = id
        for own, (line, reason) in enumerate(reasons[first - id - 1 :], start=first):
            self._line = line
            yield self._artifact(
                "compiled_autograd_compile_reasons",
                orjson.dumps([f"!{own}: {reason}"]),
                {"compiled_autograd_id": own},
            )

    def _recompile(self, text: str, context: dict[str, Any]) -> Iterator[Record]:
        lines = text.split("\n")
        place = _RECOMPILE.match(lines[0])
        reasons = [found["text"].strip() for line in lines if (found := _GUARD.match(line))]
        if place is None or "frame_id" not in context:
            return
        body = {
            "co_name": place["name"],
            "co_filename": place["file"],
            "co_firstlineno": int(place["line"]),
            "recompile_reason": "\n".join(reasons) or "unknown",
        }
        yield self._record("compilation_metrics", "", body, context, None)

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
            torch_logs=True,
        )


def _context(text: bytes | None) -> dict[str, Any]:
    """``!5/7/1`` as the envelope of a record has it; empty without ids."""
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
