"""Blocks → records of torch's structured trace (``torch/_logging/_internal.py`` writes it).

A record is one line, ``V1121 06:19:36.425000 12970 torch/_dynamo/utils.py:2350] {json}``,
and, if the JSON holds ``has_payload`` (the payload's md5), the tab-indented lines after it.
Lines that went through something else first (``[rank0]:`` before each line, colours, CRLF)
are read too. Only payloads that somebody wants are kept; all are checked.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import orjson

from ca_reports.read.blocks import Block, blocks
from ca_reports.read.fields import integer, mapping, text
from ca_reports.read.record import ANSI, MAX_PAYLOAD, MAX_PID, Record
from ca_reports.read.torchlogs import TorchLogs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ca_reports.read.damage import DamageLog

# A log interns one name per source file; a hostile one must not fill the memory with them.
MAX_STRINGS = 200_000
# How many torn records are looked at in one line.
MAX_TORN = 8
# Without one record by here, a file is taken for something else and not read on.
GIVE_UP_AFTER = 1 << 26
GIVE_UP_ON_BINARY_AFTER = 1 << 20

_HEAD = re.compile(
    rb"[VIWEC](\d{4} \d\d:\d\d:\d\d\.\d{6}) (\d{1,20}) ([^\]\n]{1,1024}?):(\d+)\] (?=\{)"
)

# What accompanies every record (``torch._logging.trace_structured``); the one other key
# is the record's kind.
_CONTEXT = frozenset(
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


class RecordReader:
    """Reads one file; iterate over ``records``."""

    def __init__(
        self,
        file: str,
        read: Callable[[int], bytes],
        wanted: Callable[[str, str], bool],
        damage: DamageLog,
    ) -> None:
        """Read with ``read(size)``; keep the payloads for which ``wanted(kind, name)``."""
        self._file = file
        self._read = read
        self._wanted = wanted
        self._damage = damage
        self._strings: dict[int, str] = {}
        self._pending: _Pending | None = None
        self._broken = False  # the record before was unreadable: its payload is no orphan
        self._garbage_line = 0
        self._garbage = 0
        self.count = 0  # of the structured trace
        self.texts = 0  # put together from TORCH_LOGS text
        self.bytes = 0
        self.torch_logs = TorchLogs()
        self.nuls = False

    def records(self) -> Iterator[Record]:
        """All records, in order. Damage goes to the ``DamageLog``; OSError is passed on."""
        for block in blocks(self._counted_read):
            if block.payload:
                self._payload(block)
                continue
            pending = self._pending
            if pending is not None and self._prefixed_payload(pending, block):
                continue
            if block.first:
                if pending is not None:
                    yield self._finish(pending)
                yield from self._line(block)
            if not self.count and not self.texts and self._give_up():
                break
        if self._pending is not None:
            yield self._finish(self._pending)
        for record in self.torch_logs.finish():
            self.texts += 1
            yield record
        self._flush_garbage()

    def _counted_read(self, size: int) -> bytes:
        data = self._read(size)
        self.bytes += len(data)
        if not self.count and not self.nuls and b"\0" in data:
            self.nuls = True
        return data

    def _give_up(self) -> bool:
        limit = GIVE_UP_ON_BINARY_AFTER if self.nuls else GIVE_UP_AFTER
        return self.bytes > limit

    def _line(self, block: Block) -> Iterator[Record]:
        data = block.data
        head = (_HEAD.match(data) or _HEAD.search(data)) if b"] {" in data else None
        if head is None:
            if data.strip():
                yield from self._no_record(block)
            return
        self._flush_garbage()
        self._broken = False
        if not block.last:
            self._broken = True
            self._note(block.line, "line_too_long", "a record's line is too long to be read")
            return
        for _ in range(MAX_TORN):
            if head is None:
                break
            record = self._record(block.line, data, head)
            if record is not None:
                if self._pending is None:
                    yield record
                return
            # Two processes that write into one file tear each other's lines: what begins
            # a record further on may be whole.
            head = _HEAD.search(data, head.end())
        self._broken = True

    def _no_record(self, block: Block) -> Iterator[Record]:
        before = self.torch_logs.lines
        for record in self.torch_logs.line(block.line, block.data):
            self.texts += 1
            yield record
        if self.torch_logs.lines == before:
            if not self._garbage:
                self._garbage_line = block.line
            self._garbage += 1

    def _record(self, line: int, data: bytes, head: re.Match[bytes]) -> Record | None:
        """The record after ``head``; becomes ``_pending`` if a payload must follow."""
        prefix = data[: head.start()]
        body = data[head.end() :]
        crlf = body.endswith(b"\r")
        envelope = self._envelope(line, body)
        if envelope is None:
            return None
        kind = next(iter(envelope), None)  # torch puts it first
        if kind in _CONTEXT:
            kind = next((key for key in envelope if key not in _CONTEXT), None)
        if kind is None:
            self._note(line, "bad_record", "a record without a kind")
            return None
        self.count += 1
        found = envelope[kind]
        if kind == "str":
            self._intern(line, found)
        pid = int(head.group(2))
        record = Record(
            line=line,
            kind=kind,
            name=text(mapping(found).get("name")) or "" if kind == "artifact" else "",
            body=found,
            envelope=envelope,
            pid=pid if pid <= MAX_PID else None,
            strings=self._strings,
        )
        if "has_payload" in envelope:
            self._pending = _Pending(
                record, prefix, crlf, self._wanted(kind, record.name), envelope["has_payload"]
            )
        return record

    def _envelope(self, line: int, body: bytes) -> dict[str, Any] | None:
        try:
            envelope = orjson.loads(body)
        except orjson.JSONDecodeError as first:
            repaired = ANSI.sub(b"", body).strip(b"\0 \r")
            try:
                envelope = orjson.loads(repaired.decode("utf-8", "replace"))
            except orjson.JSONDecodeError:
                self._note(line, "bad_json", f"the record's JSON is cut or broken: {first}")
                return None
            try:
                repaired.decode("utf-8")
            except UnicodeDecodeError:
                self._note(line, "bad_utf8", "the record is not UTF-8; unreadable bytes replaced")
        if not isinstance(envelope, dict):
            self._note(line, "bad_record", "the record is not a JSON object")
            return None
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
            data = block.data[1:] if block.first else block.data
            pending.add(data.replace(b"\n\t", b"\n") if not pending.crlf else _no_cr(data))
            return
        if block.first and not self._broken:
            self._flush_garbage()
            self._note(block.line, "orphan_payload", "a payload that belongs to no record")

    def _prefixed_payload(self, pending: _Pending, block: Block) -> bool:
        """Whether ``block`` is a payload line that carries the same prefix as its record."""
        if not pending.prefix:
            return False
        if not block.first:
            if pending.in_prefixed:
                pending.add(block.data)
            return pending.in_prefixed
        data = block.data
        pending.in_prefixed = False
        for prefix in pending.prefixes:
            if data.startswith(prefix + b"\t"):
                data = data[len(prefix) + 1 :]
                if pending.crlf:
                    data = data.removesuffix(b"\r")
                pending.add(data if pending.empty else b"\n" + data)
                pending.in_prefixed = True
                return True
        return False

    def _finish(self, pending: _Pending) -> Record:
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
            record.payload = pending.kept()
        return record

    def _flush_garbage(self) -> None:
        if self._garbage:
            lines = "a line" if self._garbage == 1 else f"{self._garbage} lines"
            verb = "is no record" if self._garbage == 1 else "are no records"
            self._damage.add(
                self._file, self._garbage_line, "not_a_record", f"{lines} that {verb}",
                self._garbage,
            )  # fmt: skip
            self._garbage = 0

    def _note(self, line: int, kind: str, detail: str) -> None:
        self._damage.add(self._file, line, kind, detail)


class _Pending:
    """A record that waits for the end of its payload."""

    def __init__(
        self, record: Record, prefix: bytes, crlf: bool, wanted: bool, digest: object
    ) -> None:
        self.record = record
        self.prefix = prefix
        # With colours the prefix of the first line has codes that the others lack.
        self.prefixes = (prefix, ANSI.sub(b"", prefix))
        self.crlf = crlf
        self.in_prefixed = False
        self.empty = True
        self.size = 0
        self.too_long = False
        self._wanted = wanted
        self._digest = digest
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._parts: list[bytes] = []

    def add(self, data: bytes) -> None:
        self.empty = False
        self.size += len(data)
        self._md5.update(data)
        if self._wanted:
            if self.size > MAX_PAYLOAD:
                self.too_long = True
                self._parts.clear()
            else:
                self._parts.append(data)

    @property
    def intact(self) -> bool:
        return self._md5.hexdigest() == self._digest

    def kept(self) -> bytes | None:
        return b"".join(self._parts) if self._wanted else None


def _no_cr(data: bytes) -> bytes:
    """A payload whose lines end in CRLF, as they were before."""
    return data.removesuffix(b"\r").replace(b"\r\n\t", b"\n")
