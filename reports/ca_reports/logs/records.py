"""Blocks → records of torch's structured trace (``torch/_logging/_internal.py`` writes it).

A record is one line, ``V1121 06:19:36.425000 12970 torch/_dynamo/utils.py:2350] {json}``,
and, if the JSON holds ``has_payload`` (the payload's md5), the tab-indented lines after it.
Lines that went through something else first (``[rank0]:`` before each line, colours, CRLF)
are read too. Payloads are checked, except for long ones that nobody wants and that cannot hide
another record.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.logs.blocks import Block, blocks, without_tabs
from ca_reports.logs.decoration import Decoration, without_colours
from ca_reports.logs.escaped import lines_in, may_hold_lines
from ca_reports.logs.fields import integer, mapping, text
from ca_reports.logs.quiet import QuietRuns, other_lines, part_of_record
from ca_reports.logs.record import MAX_PAYLOAD, MAX_PID, Record
from ca_reports.logs.texts import all_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ca_reports.logs.damage import DamageLog
    from ca_reports.logs.pieces import Piece
    from ca_reports.logs.quiet import QuietRun
    from ca_reports.logs.record import Wanted
    from ca_reports.logs.stored import StoredText

# A log interns one name per source file; a hostile one must not fill the memory with them.
MAX_STRINGS = 200_000
# How many torn records are looked at in one line.
MAX_TORN = 8
# Payloads up to this many bytes are checked even if nobody wants them: half of them, and a
# twentieth of the time that all would take.
_LONG = 1 << 14
# Without one record by here, a file is taken for something else and not read on.
GIVE_UP_AFTER = 1 << 26
GIVE_UP_ON_BINARY_AFTER = 1 << 20
# Or without one by this line: a packed file of 100 KB may hold 50 million.
GIVE_UP_AFTER_LINES = 1 << 20

HEAD = expression(
    rb"[VIWEC](\d{4} \d\d:\d\d:\d\d\.\d{6}) (\d{1,20}) [^\]\n]{1,1024}:\d{1,9}\] (?=\{)"
)
_HEAD_END = expression(rb"\] \{")  # in two thirds of the time of `in`

# What accompanies every record (``torch._logging.trace_structured``); the one other key
# is the record's kind.
CONTEXT = frozenset(
    (
        "rank",
        "compiled_autograd_id",
        "frame_id",
        "frame_compile_id",
        "attempt",
        "severity",
        "timestamp",
        "pathname",
        "thread",
        "process",
        "stack",
        "subgraph_name",
        "has_payload",
    )
)

_NOTHING = Record(0, "", "", None, {}, None, {})


class RecordReader:
    """Reads one file; iterate over ``records``."""

    def __init__(
        self,
        file: str,
        read: Callable[[int], bytes],
        wanted: Wanted | None,
        damage: DamageLog,
        pieces: Iterable[Piece] = (),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Read the ``pieces`` and then with ``read(size)``; hand out what is ``wanted``, or all.

        ``progress`` is told how many bytes came in, unpacked, each time some do. Records that
        nobody wants are counted, unless they are the first of their compile; so are file names.
        """
        self._file = file
        self._read = read
        self._wanted = wanted
        self._damage = damage
        self._pieces = pieces
        self._progress = progress
        self._runs = None if wanted is None else QuietRuns(wanted.events)
        self.first_line = 1  # of what `records` reads next
        self.time = b""  # of the last record, as its head has it: 1121 06:19:36.425000
        self._strings: dict[int, str] = {}
        self._pending: Pending | None = None
        self._broken = False  # the record before was unreadable: its payload is no orphan
        self._garbage_line = 0
        self._garbage = 0
        self.count = 0  # of the structured trace
        self.texts = 0  # put together from text
        self.bytes = 0
        self.skipped: Counter[int | None] = Counter()  # by pid: records that nobody wants
        self._owner: tuple[object, ...] = ()  # what the last record handed out belongs to
        # Of the last run that was stepped over: many follow each other that belong to one compile.
        self._quiet_pid = 0
        self._quiet_envelope: dict[str, Any] = {}
        self._quiet_owner: tuple[object, ...] = ()
        self.text_logs = [kind() for kind in all_kinds()]
        self._part = part_of_record(mark for log in self.text_logs for mark in log.marks)
        self.nuls = False

    def records(self) -> Iterator[Record]:
        """Yield all records, in order. Damage goes to the ``DamageLog``; OSError is passed on."""
        match = HEAD.match
        for block in self._blocks():
            line, _, payload, data, first, last, quiet, pid, *_ = block
            pending = self._pending
            if quiet:
                if pending is not None and (whole := self._finish(pending)) is not _NOTHING:
                    yield whole
                self._stepped_over(quiet, pid)
                continue
            if block.other:
                self._others(block)
                continue
            if payload:
                self._payload(block)
                continue
            if pending is not None and pending.prefix and self._prefixed_payload(pending, block):
                continue
            if first:
                if pending is not None and (whole := self._finish(pending)) is not _NOTHING:
                    yield whole
                # Nearly all lines of nearly all logs are a whole record; the others go the
                # long way.
                head = match(data) if last else None
                record = None if head is None else self._record(line, data, head)
                if record is None:
                    yield from self._line(block, head)
                elif self._pending is None and record is not _NOTHING:
                    yield record
            if not self.count and not self.texts and self._give_up(line):
                break
        if self._pending is not None:
            self._pending.check()
            if (whole := self._finish(self._pending)) is not _NOTHING:
                yield whole
        for text_log in self.text_logs:
            for record in text_log.finish():
                self.texts += 1
                yield record
        self._flush_garbage()

    def _blocks(self) -> Iterator[Block]:
        stepping = None if self._runs is None else self._quiet
        line = self.first_line
        for piece in self._pieces:
            spans = piece.spans() if self._steps_by_spans() else None
            if spans is None:
                line = yield from blocks(self._counted(piece.read), stepping, line)
            else:
                line = yield from piece.blocks(spans, line)
                self._count(piece.size)
        self.first_line = yield from blocks(self._counted(self._read), stepping, line)

    def _steps_by_spans(self) -> bool:
        """Return whether what comes next means the same to whoever saw nothing of what came before.

        Not where the file may be no log, nor where a record with a prefix, such as the torn one
        before it, waits for lines of payload with that prefix.
        """
        return self.count > 0 and (self._pending is None or not self._pending.prefix)

    def _counted(self, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
        def counted(size: int) -> bytes:
            data = read(size)
            self._count(len(data))
            if not self.count and not self.nuls and b"\0" in data:
                self.nuls = True
            return data

        return counted

    def _count(self, size: int) -> None:
        self.bytes += size
        if self._progress is not None:
            self._progress(size)

    def _give_up(self, line: int) -> bool:
        limit = GIVE_UP_ON_BINARY_AFTER if self.nuls else GIVE_UP_AFTER
        return self.bytes > limit or line > GIVE_UP_AFTER_LINES

    def _line(self, block: Block, tried: re.Match[bytes] | None) -> Iterator[Record]:
        """Read a line that is not simply a record; ``tried`` is a head in it that led to none."""
        data = block.data
        if tried is None and b"] {" in data:
            head = HEAD.search(data)
        elif tried is not None:
            head = tried
        else:
            head = None
        if head is None:
            if data.strip():
                yield from self._no_record(block)
            return
        self._flush_garbage()
        self._broken = True
        if not block.last:
            self._note(block.line, "line_too_long", "a record's line is too long to be read")
            return
        for attempt in range(MAX_TORN):
            if head is not tried or attempt:
                record = self._record(block.line, data, head)
                if record is not None:
                    if self._pending is None and record is not _NOTHING:
                        yield record
                    return
            # Two processes that write into one file tear each other's lines: what begins
            # a record further on may be whole.
            head = HEAD.search(data, head.end())
            if head is None:
                return

    def _no_record(self, block: Block) -> Iterator[Record]:
        data = block.data
        inner = lines_in(data) if may_hold_lines(data) else None
        is_text = False
        for line in [data] if inner is None else inner:
            for text_log in self.text_logs:
                before = text_log.lines
                for record in text_log.line(block.line, line):
                    self.texts += 1
                    yield record
                if text_log.lines != before:
                    is_text = True
                    break
        if is_text:
            return
        if not self._garbage:
            self._garbage_line = block.line
        self._garbage += 1

    def _others(self, block: Block) -> None:
        """Count lines that hold no part of a record."""
        text = block.data.lstrip()
        if not self._garbage:
            skipped = len(block.data) - len(text)
            self._garbage_line = block.line + block.data.count(b"\n", 0, skipped)
        self._garbage += sum(map(bool, map(bytes.strip, text.split(b"\n"))))

    def _record(self, line: int, data: bytes, head: re.Match[bytes]) -> Record | None:
        """Return the record after ``head``; becomes ``_pending`` if a payload must follow."""
        if self._garbage:
            self._flush_garbage()
        body = data[head.end() :]
        try:
            envelope = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            envelope = self._repaired(line, body, error)
        if type(envelope) is not dict:
            if envelope is not None:
                self._note(line, "bad_record", "the record is not a JSON object")
            return None
        self._broken = False
        self.time = head.group(1)
        kind = next(iter(envelope), None)  # torch puts it first
        if kind in CONTEXT:
            kind = next((key for key in envelope if key not in CONTEXT), None)
        if kind is None:
            self._note(line, "bad_record", "a record without a kind")
            return None
        self.count += 1
        found = envelope[kind]
        if kind == "str":
            self._intern(line, found)
        pid = _pid(int(head.group(2)))
        wanted = self._wanted
        has_payload = "has_payload" in envelope
        handed_out = True
        if wanted is not None:
            owner = _owner(pid, envelope)
            # A file name stands in the middle of the compile that it is first met in.
            known = owner == self._owner or (kind == "str" and self._owner[:1] == (pid,))
            handed_out = not known or kind in wanted.kinds
            if not handed_out and not has_payload:
                self.skipped[pid] += 1
                return _NOTHING
            if not known:
                self._owner = owner
        name = text(mapping(found).get("name")) or "" if kind == "artifact" else ""
        # By position: naming seven fields takes as long as all else here.
        record = Record(line, kind, name, found, envelope, pid, self._strings)
        if has_payload:
            is_wanted = wanted is None or wanted.payload(record)
            self._pending = Pending(
                record,
                data[: head.start()],
                body.endswith(b"\r"),
                is_wanted,
                handed_out or is_wanted,
                envelope["has_payload"],
            )
        return record

    def _quiet(self, buffer: bytes, position: int) -> QuietRun | None:
        """Return the run of records at ``position`` that nobody wants, or of lines that are none.

        The first record of a compile is one that somebody wants: it says that there is one.
        """
        assert self._runs is not None
        run = self._runs.at(buffer, position)
        if run is None:
            # After a record, what follows may be its payload, with a prefix.
            is_log = self._pending is None and (self.count or self.texts)
            is_log = is_log and not any(log.is_open for log in self.text_logs)
            return other_lines(buffer, position, self._part) if is_log else None
        if run.owner is not self._quiet_envelope or run.pid != self._quiet_pid:
            self._quiet_pid, self._quiet_envelope = run.pid, run.owner
            self._quiet_owner = _owner(_pid(run.pid), run.owner)
        return run if self._quiet_owner == self._owner else None

    def _stepped_over(self, records: int, pid: int) -> None:
        self._flush_garbage()
        self._broken = False
        self.count += records
        self.skipped[_pid(pid)] += records

    def _repaired(self, line: int, body: bytes, first: orjson.JSONDecodeError) -> object:
        """Return the JSON without what a terminal put into it; None if that does not help."""
        repaired = without_colours(body).strip(b"\0 \r")
        try:
            envelope: object = orjson.loads(repaired.decode("utf-8", "replace"))
        except orjson.JSONDecodeError:
            self._note(line, "bad_json", f"the record's JSON is cut or broken: {first}")
            return None
        try:
            repaired.decode("utf-8")
        except UnicodeDecodeError:
            self._note(line, "bad_utf8", "the record is not UTF-8; unreadable bytes replaced")
        return envelope

    def _intern(self, line: int, found: object) -> None:
        """``{"str": [name, id]}``: a dictionary, so an absurd id costs one entry."""
        if isinstance(found, list) and len(found) == 2:
            name, key = text(found[0]), integer(found[1])
            if name is not None and key is not None and len(self._strings) < MAX_STRINGS:
                self._strings[key] = name
                return
        self._note(line, "bad_record", "a file name that cannot be interned")

    def _payload(self, block: Block) -> None:
        pending = self._pending
        if pending is not None:
            pending.take(block)
            return
        if block.first and not self._broken:
            self._flush_garbage()
            self._note(block.line, "orphan_payload", "a payload that belongs to no record")

    def _prefixed_payload(self, pending: Pending, block: Block) -> bool:
        """Return whether ``block`` is a payload line that carries the same prefix as its record."""
        if not block.first:
            if pending.in_prefixed:
                pending.add(block.data)
            return pending.in_prefixed
        data = block.data
        pending.in_prefixed = False
        text = pending.decoration.strip(without_colours(data))
        if text is None or not text.startswith(b"\t"):
            return False
        text = text[1:].removesuffix(b"\r") if pending.crlf else text[1:]
        pending.add(text if pending.empty else b"\n" + text)
        pending.in_prefixed = True
        return True

    def _finish(self, pending: Pending) -> Record:
        """Check the payload that has ended; `_NOTHING` if nobody wants it, nor its record."""
        self._pending = None
        record = pending.record
        kind = record.name or record.kind
        if pending.empty:
            self._note(record.line, "missing_payload", f"{kind}: the payload is missing")
        elif not pending.intact:
            self._note(
                record.line, "md5_mismatch", f"{kind}: the payload was changed or cut; not used"
            )
        elif pending.too_long:
            self._note(
                record.line,
                "payload_too_long",
                f"{kind}: the payload has {pending.size} bytes; not used",
            )
        else:
            record.payload, record.packed = pending.kept(), pending.packed
        if not pending.handed_out:
            self.skipped[record.pid] += 1
            return _NOTHING
        return record

    def _flush_garbage(self) -> None:
        if self._garbage:
            lines = "a line" if self._garbage == 1 else f"{self._garbage} lines"
            verb = "is not a record" if self._garbage == 1 else "are not records"
            self._damage.add(
                self._file, self._garbage_line, "not_a_record", f"{lines} that {verb}",
                self._garbage,
            )  # fmt: skip
            self._garbage = 0

    def _note(self, line: int, kind: str, detail: str) -> None:
        self._damage.add(self._file, line, kind, detail)


class Pending:
    """A record that waits for the end of its payload."""

    def __init__(
        self,
        record: Record,
        prefix: bytes,
        crlf: bool,
        wanted: bool,
        handed_out: bool,
        digest: object,
    ) -> None:
        self.record = record
        self.prefix = prefix
        # With colours the prefix of the first line has codes that the others lack.
        self.decoration = Decoration(without_colours(prefix))
        self.crlf = crlf
        self.in_prefixed = False
        self.empty = True
        self.size = 0
        self.too_long = False
        self.wanted = wanted
        self.handed_out = handed_out
        self.packed: StoredText | None = None
        self._checked = False
        self._digest = digest
        self._md5: hashlib._Hash | None = None  # made with the first piece that is checked
        self._parts: list[bytes] = []
        self._unchecked: Block | None = None

    def take(self, block: Block) -> None:
        """Take a whole payload or a piece of it, as it stands in the log.

        A long one that nobody wants is not looked at closely unless a torn record might be in
        it: in the last one of the log, which `check` is for, or where another's head stands.
        """
        if block.checked:
            self._checked = True
        if block.checked and (not self.wanted or block.packed is not None):
            self.empty = False
            self.packed = block.packed
        elif (
            not self.wanted
            and block.first
            and block.last
            and len(block.data) > _LONG
            and _HEAD_END.search(block.data) is None
        ):
            self.empty = False
            self._unchecked = block
        else:
            data = without_tabs(block)
            self.add(_no_cr(data) if self.crlf else data)

    def check(self) -> None:
        """Look at the payload closely after all."""
        block, self._unchecked = self._unchecked, None
        if block is not None:
            data = without_tabs(block)
            self.add(_no_cr(data) if self.crlf else data)

    def add(self, data: bytes) -> None:
        self.empty = False
        self.size += len(data)
        if self._checked:
            pass
        elif self._md5 is None:
            self._md5 = hashlib.md5(data, usedforsecurity=False)
        else:
            self._md5.update(data)
        if self.wanted:
            if self.size > MAX_PAYLOAD:
                self.too_long = True
                self._parts.clear()
            else:
                self._parts.append(data)

    @property
    def intact(self) -> bool:
        if self._checked or self._unchecked is not None:
            return True
        return self._md5 is not None and self._md5.hexdigest() == self._digest

    def kept(self) -> bytes | None:
        return b"".join(self._parts) if self.wanted and self.packed is None else None


def _no_cr(data: bytes) -> bytes:
    """Return a payload whose lines end in CRLF, as they were before."""
    return data.removesuffix(b"\r").replace(b"\r\n", b"\n")


def _pid(number: int) -> int | None:
    return number if number <= MAX_PID else None


def _owner(pid: int | None, envelope: dict[str, Any]) -> tuple[object, ...]:
    """Return what a record belongs to: process, capture, compile, attempt, rank."""
    known = envelope.get
    return (
        pid, known("compiled_autograd_id"), known("frame_id"), known("frame_compile_id"),
        known("attempt"), known("rank"),
    )  # fmt: skip
