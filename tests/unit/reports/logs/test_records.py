"""Bytes to records: what is whole comes back, what is not is named."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ca_reports
from ca_reports.logs.blocks import MAX_PIECE
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.opening import open_log
from ca_reports.logs.record import MAX_PAYLOAD, Wanted
from ca_reports.logs.records import RecordReader
from ca_reports.run.gather.follow import Follower
from tests.unit.logwriter import GRAPH_CODE, LogWriter
from tests.unit.reports.logs.written import good, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING = Wanted(frozenset(), lambda record: False, lambda record: False, ())


def kinds(damage: DamageLog) -> list[str]:
    return [entry.kind for entry in damage.items()]


def test_a_record_and_its_payload() -> None:
    log = LogWriter(pid=12)
    log.record("compiled_autograd_graph", {}, GRAPH_CODE, compiled_autograd_id=3, attempt=0)
    log.artifact("compiled_autograd_compile_reasons", ["!3: why"], compiled_autograd_id=3)
    (graph, reasons), damage = read(log.data)
    assert graph.kind == "compiled_autograd_graph"
    assert graph.payload == GRAPH_CODE.encode()
    assert graph.pid == 12
    assert graph.line == 1
    assert graph.envelope["compiled_autograd_id"] == 3
    assert reasons.name == "compiled_autograd_compile_reasons"
    assert json.loads(reasons.payload or b"") == ["!3: why"]
    assert reasons.line == 2 + len(GRAPH_CODE.split("\n"))
    assert not damage.items()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="crlf"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="byte order mark"),
        pytest.param(lambda data: b"\x1b[31m" + data, id="colour"),
        pytest.param(lambda data: data[:-1], id="no newline at the end"),
        pytest.param(lambda data: b"\0" * 300 + data, id="a hole of NULs before it"),
        pytest.param(
            lambda data: b"".join(b"[rank0]:" + line for line in data.splitlines(True)),
            id="prefix before every line",
        ),
        pytest.param(
            lambda data: b"".join(b"\x1b[1mw 3 | " + line for line in data.splitlines(True)),
            id="coloured prefix before every line",
        ),
    ],
)
@pytest.mark.parametrize("chunk", [None, 1, 7])
def test_what_went_through_something_else_is_read_whole(
    change: Callable[[bytes], bytes], chunk: int | None
) -> None:
    log = LogWriter()
    log.record("compiled_autograd_graph", {}, "a\n\n\tb\nc", compiled_autograd_id=1)
    log.record("dynamo_start", {"stack": []}, frame_id=0, frame_compile_id=0)
    records, damage = read(change(log.data), chunk)
    assert [record.kind for record in records] == ["compiled_autograd_graph", "dynamo_start"]
    assert records[0].payload == b"a\n\n\tb\nc"
    assert not damage.items()


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        pytest.param(b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": {}, "b\n', "bad_json", id="cut"),
        pytest.param(
            b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": {}, "has_payload": "00"}\n',
            "missing_payload",
            id="payload missing",
        ),
        pytest.param(
            b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": {}, "has_payload": "00"}\n\tabc\n',
            "md5_mismatch",
            id="payload changed",
        ),
        pytest.param(b"\torphan\n", "orphan_payload", id="payload of nothing"),
        pytest.param(b"hello\nworld\n", "not_a_record", id="other lines"),
        pytest.param(
            b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": "\xff\xfe"}\n', "bad_utf8", id="utf-8"
        ),
        pytest.param(b"V1121 06:19:36.425000 1 torch/x.py:4] {}\n", "bad_record", id="no kind"),
        pytest.param(
            b'V1121 06:19:36.425000 1 torch/x.py:4] {"str": ["x", -1]}\n', "bad_record", id="str"
        ),
        pytest.param(
            b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": "'
            + b"x" * (MAX_PIECE * 2)
            + b'"}\n\tpayload\n',
            "line_too_long",
            id="huge line",
        ),
    ],
)
def test_damage_is_named_and_the_next_record_is_read(before: bytes, kind: str) -> None:
    records, damage = read(before + good())
    assert kinds(damage) == [kind]
    assert damage.items()[0].line == 1
    assert records[-1].kind == "compiled_autograd_graph"
    assert records[-1].payload == b"abc"


def test_a_record_that_begins_within_a_torn_one_is_read() -> None:
    torn = b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": {"b": 1'
    records, damage = read(torn + good())
    assert [record.payload for record in records] == [b"abc"]
    assert kinds(damage) == ["bad_json"]


@pytest.mark.timeout(30)
def test_a_line_of_torn_records_is_not_tried_for_ever() -> None:
    head = b"V1121 06:19:36.425000 1 torch/x.py:4] {"
    records, damage = read((head + b"\x1b" * 20) * 60_000 + b"\n" + good())
    assert [record.payload for record in records] == [b"abc"]
    assert set(kinds(damage)) == {"bad_json"}


def test_the_payload_of_an_unreadable_record_is_no_orphan() -> None:
    records, damage = read(
        b'V1121 06:19:36.425000 1 torch/x.py:4] {"a": {}, "has_pay\n\tx\n\ty\n' + good()
    )
    assert len(records) == 1
    assert kinds(damage) == ["bad_json"]


def test_a_payload_beyond_the_bound_is_named_not_kept() -> None:
    log = LogWriter()
    log.record("compiled_autograd_graph", {}, ("y" * 1023 + "\n") * (MAX_PAYLOAD // 1024 + 9))
    records, damage = read(log.data + good())
    assert records[0].payload is None
    assert records[1].payload == b"abc"
    assert kinds(damage) == ["payload_too_long"]


def test_unwanted_payloads_are_checked_but_not_kept() -> None:
    log = LogWriter()
    log.record("dump_file", {}, "code")
    damage = DamageLog()
    reader = RecordReader("a.log", io.BytesIO(log.data).read, NOTHING, damage)
    assert [record.payload for record in reader.records()] == [None]
    assert not damage.items()
    damage = DamageLog()
    changed = log.data.replace(b"\tcode", b"\tcodf")
    reader = RecordReader("a.log", io.BytesIO(changed).read, NOTHING, damage)
    assert len(list(reader.records())) == 1
    assert kinds(damage) == ["md5_mismatch"]


def test_absurd_string_ids_cost_nothing() -> None:
    log = LogWriter()
    log.record("str", ["a.py", 2**62])
    log.record("str", ["b.py", 99_999_999])
    records, damage = read(log.data)
    assert records[-1].strings == {2**62: "a.py", 99_999_999: "b.py"}
    assert not damage.items()


def test_thread_identities_are_no_process_ids() -> None:
    log = LogWriter(pid=140144363024384)
    log.record("dynamo_start", {})
    records, _ = read(log.data)
    assert records[0].pid is None


def test_memory_stays_bounded_on_a_payload_without_end() -> None:
    head = b'V1121 06:19:36.425000 1 torch/x.py:4] {"compiled_autograd_graph": {}, '
    parts = iter([head + b'"has_payload": "0"}\n\t', *([b"x" * (1 << 20)] * 200)])
    damage = DamageLog()
    reader = RecordReader("a.log", lambda size: next(parts, b""), None, damage)
    tracemalloc.start()
    try:
        assert [record.payload for record in reader.records()] == [None]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80 << 20
    assert kinds(damage) == ["md5_mismatch"]


@pytest.mark.long
def test_something_else_is_given_up_on() -> None:
    asked = 0

    def endless(size: int) -> bytes:
        nonlocal asked
        asked += size
        return b"\0\1\2\3\n" * (size // 5)

    reader = RecordReader("core", endless, None, DamageLog())
    assert list(reader.records()) == []
    assert asked < 4 << 20


_names = st.text(st.characters(codec="utf-8"), max_size=30)
_payloads = st.none() | st.text(st.characters(codec="utf-8"), max_size=200)


@given(st.lists(st.tuples(_names, _payloads), min_size=1, max_size=8), st.sampled_from([1, 3, 64]))
def test_everything_written_is_read(written: list[tuple[str, str | None]], chunk: int) -> None:
    log = LogWriter()
    for name, payload in written:
        log.record("artifact", {"name": name}, payload)
    records, damage = read(log.data, chunk)
    assert [record.body["name"] for record in records] == [name for name, _ in written]
    assert [record.payload for record in records] == [
        None if payload is None else payload.encode() for _, payload in written
    ]
    assert not damage.items()


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=6)), min_size=1, max_size=6),
    st.booleans(),
)
def test_damage_never_raises_and_spares_what_it_did_not_touch(
    edits: list[tuple[int, bytes]], insert: bool
) -> None:
    log = LogWriter()
    for id in range(8):
        log.record("compiled_autograd_graph", {}, f"graph {id}\nend", compiled_autograd_id=id)
    data = log.data
    lengths = [len(record) for record in log.records]
    touched: set[int] = set()
    for position, junk in edits:
        at = position % len(data)
        end = 0
        for index, length in enumerate(lengths):
            # An edit at a record's first byte may belong to the one before as well.
            if at <= end + length and end - 1 <= at + len(junk):
                touched.add(index)
            end += length
        if not insert:
            junk = junk[: len(data) - at]
            data = data[:at] + junk + data[at + len(junk) :]
    if insert:
        # Insertions move what follows, so one is enough to know what it touched.
        at = edits[0][0] % len(data)
        data = data[:at] + edits[0][1] + data[at:]
    records, _ = read(data)
    whole = {record.payload for record in records if record.payload is not None}
    spared = {f"graph {id}\nend".encode() for id in range(8) if id not in touched}
    assert spared <= whole
    assert whole <= {f"graph {id}\nend".encode() for id in range(8)}


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    records, _ = read(data + b"\n" + good())
    assert records[-1].payload == b"abc"


def test_gzip_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    path.write_bytes(gzip.compress(good()))
    with open_log(path) as stream:
        assert stream.read() == good()


def described(log: LogWriter, count: int, **context: Any) -> None:
    for id in range(count):
        log.record("describe_tensor", {"id": id, "dtype": "torch.float32"}, **context)


def test_records_of_no_use_count_and_name_their_compile(tmp_path: Path) -> None:
    first, second = LogWriter(pid=11, rank=0), LogWriter(pid=12, rank=1)
    for log in (first, second):
        described(log, 3, frame_id=0, frame_compile_id=0, attempt=0)
        described(log, 2, frame_id=0, frame_compile_id=1, attempt=2)
    second.record("describe_source", {"id": 1}, "with a payload", frame_id=4, frame_compile_id=0)
    path = tmp_path / "trace.log"
    # Two processes in turn, line by line: what one said is not what the other said.
    path.write_bytes(
        b"".join(a + b for a, b in zip(first.records, second.records, strict=False))
        + second.records[-1]
    )
    processes = ca_reports.load([path]).processes
    assert [(process.rank, process.records) for process in processes] == [(0, 5), (1, 6)]
    assert [[found.compile_id for found in process.compiles] for process in processes] == [
        ["0/0", "0/1"],
        ["0/0", "0/1", "4/0"],
    ]
    follower = Follower([str(path)])
    follower.poll()
    assert [process.records for process in follower.poll().processes] == [5, 6]


def test_a_broken_record_of_no_use_is_named() -> None:
    log = LogWriter()
    described(log, 3, frame_id=0, frame_compile_id=0)
    log.records[1] = log.records[1].replace(b'"dtype": ', b'"dtype" ')
    _, damage = read(log.data)
    assert [(entry.kind, entry.line) for entry in damage.items()] == [("bad_json", 2)]


def test_a_capture_that_failed_keeps_the_graph_it_came_to(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    failed = LogWriter()
    failed.torch_capture(1)
    log.records += failed.records[:1]  # its final graph was never written
    log.torch_capture(2)
    captures = ca_reports.load([log.write(tmp_path / "trace.log")]).captures
    assert [
        (found.graph is not None and "# before" in found.graph.text, found.graph_complete)
        for found in captures
    ] == [(False, True), (True, False), (False, True)]
