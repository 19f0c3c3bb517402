"""What nobody reads is stepped over, and nothing else is: no record, no damage, no line number."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ca_reports.logs import records
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.quiet import other_lines, part_of_record
from ca_reports.logs.record import Record
from ca_reports.logs.records import RecordReader
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.build.builder import WANTED, ProcessBuilder
from ca_reports.run.build.drafts import Stored
from ca_reports.run.gather.filereading import FileResult, read_file
from tests.unit.logwriter import GRAPH_CODE, LogWriter

SHARED = Path(__file__).parents[5] / "shared" / "logs"
EVENT = '{\n"name": "%s",\n"ts": 1700000000000000.0,\n"args": {},\n"ph": "B"\n}'


def whole_log() -> LogWriter:
    """What torch writes of three compiles, in the order in which it does."""
    log = LogWriter(rank=1)
    for frame in range(3):
        of: dict[str, Any] = {
            "compiled_autograd_id": frame,
            "frame_id": frame,
            "frame_compile_id": 0,
            "attempt": 0,
        }
        log.record("chromium_event", {}, EVENT % "dynamo", **of)
        for tensor in range(40):
            log.record("describe_storage", {"id": tensor, "size": 4096}, **of)
            log.record("describe_tensor", {"id": tensor, "size": [2, 3], "hints": {}}, **of)
            if tensor % 9 == 0:
                stack = [{"line": 3, "name": "f", "filename": 0, "loc": "x = {}"}]
                log.record("create_symbol", {"symbol": f"s{tensor}", "stack": stack}, **of)
                log.record("chromium_event", {}, EVENT % "inner", **of)
        log.record("chromium_event", {}, EVENT % "compiled_autograd", **of)
        log.record("artifact", {"name": "of nobody", "encoding": "string"}, "x\n" * 20_000, **of)
        log.record("dump_file", {"name": "short"}, "of nobody\neither", **of)
        log.record("compiled_autograd_graph", {}, GRAPH_CODE, **of)
    return log


def one_by_one(data: bytes, damage: DamageLog) -> ProcessBuilder:
    """Every record decoded, every payload checked."""
    reader = RecordReader("a.log", io.BytesIO(data).read, None, damage)
    builder = ProcessBuilder("a.log", damage, Stored(1 << 30), Bounds())
    for record in reader.records():
        builder.add(record)
    return builder


def read(data: bytes, folder: Path) -> FileResult:
    path = folder / "a.log"
    path.write_bytes(data)
    return read_file(str(path), Bounds(), "a.log")


def test_it_reads_what_reading_all_of_it_reads(tmp_path: Path) -> None:
    data = whole_log().data
    damage = DamageLog()
    builder = one_by_one(data, damage)
    found = read(data, tmp_path)
    assert found.processes == (builder.build(0, None),)
    assert found.processes[0].records == len(whole_log().records)
    assert found.damage == damage.items() == ()


def test_most_of_it_is_not_decoded() -> None:
    log = whole_log()
    reader = RecordReader("a.log", io.BytesIO(log.data).read, WANTED, DamageLog())
    kinds = [record.kind for record in reader.records()]
    assert reader.count == len(log.records)
    # The first of each compile says that there is one; then what somebody reads, or might.
    assert kinds == ["chromium_event", "chromium_event", "compiled_autograd_graph"] * 3


def in_place_of(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


def within(what: bytes, at: bytes) -> Callable[[bytes], bytes]:
    """``what`` in the middle of the last record that has ``at``."""

    def change(data: bytes) -> bytes:
        place = data.rindex(at) + len(at) // 2
        return data[:place] + what + data[place:]

    return change


ANOTHER = b'V1121 06:19:36.425000 9 torch/x.py:4] {"dynamo_start": {}, "frame_id": 7}\n'


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(in_place_of(b'"ph": "B"', b'"ph": "?"'), id="event changed"),
        pytest.param(in_place_of(b'\n\t"args": {},', b""), id="a line of an event lost"),
        pytest.param(in_place_of(b'"size": 4096}, ', b'"si'), id="describe cut, the next follows"),
        pytest.param(within(ANOTHER, b'"describe_tensor"'), id="a record within a describe"),
        pytest.param(within(ANOTHER, b'"describe_tensor": {'), id="and one later"),
        pytest.param(within(ANOTHER, b'"create_symbol"'), id="a record within a symbol"),
        pytest.param(within(ANOTHER, b'"name": "inner"'), id="a record within an event"),
        pytest.param(within(ANOTHER, b"x\n\tx\n\tx\n"), id="a record within what nobody reads"),
        pytest.param(within(b"garbage", b"}\nV1121 "), id="garbage between records"),
        pytest.param(within(b"\n\tlost\n", b"}\nV1121 "), id="a payload of nothing"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="crlf"),
        pytest.param(lambda data: data.replace(b"V1121", b"[rank0]:V1121"), id="prefix"),
        pytest.param(in_place_of(b'"attempt": 0}', b'"attempt": 00}'), id="no number"),
        pytest.param(lambda data: data[: data.rindex(b'"inner"')], id="cut within an event"),
        pytest.param(lambda data: data[: data.rindex(b"x\n\tx") - 9], id="cut, nobody reads it"),
        pytest.param(lambda data: data[: data.rindex(b'"describe_source') + 9], id="cut describe"),
    ],
)
def test_damage_is_named_as_where_all_is_decoded(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    log = whole_log()
    log.record("describe_source", {"id": 1, "source": "L['x']"}, frame_id=2, frame_compile_id=0)
    data = change(log.data)
    damage = DamageLog()
    builder = one_by_one(data, damage)
    found = read(data, tmp_path)
    assert found.damage == damage.items()
    assert sum(process.records for process in found.processes) == builder.records


def test_only_a_long_payload_of_nobody_in_the_middle_goes_unchecked(tmp_path: Path) -> None:
    log = whole_log()
    changed = log.data.replace(b"x\n\tx\n\tx", b"x\n\ty\n\tx", 1)
    assert not read(changed, tmp_path).damage
    begin = log.data.rindex(b'{"artifact"')
    last = log.data[: log.data.index(b"V1121", begin)]
    assert [found.kind for found in read(last[:-9] + b"\n", tmp_path).damage] == ["md5_mismatch"]


def test_what_is_handed_on_is_what_a_builder_reads() -> None:
    builder = ProcessBuilder("a.log", DamageLog(), Stored(1), Bounds())
    with_payload = {"chromium_event", "compiled_autograd_graph", "dynamo_cpp_guards_str"}
    assert set(builder._kinds) == WANTED.kinds | with_payload
    artifacts = {name: Record(1, "artifact", name, {}, {}, None, {}) for name in builder._artifacts}
    assert all(map(WANTED.payload, artifacts.values()))


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared logs here")
def test_real_logs_are_read_as_where_all_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [path for path in SHARED.rglob("*.log") if path.stat().st_size]
    quick = [read_file(str(path), Bounds()) for path in paths]
    init = RecordReader.__init__

    def everything(
        self: RecordReader,
        file: str,
        read: Callable[[int], bytes],
        _: object,
        damage: DamageLog,
        *more: Any,
    ) -> None:
        init(self, file, read, None, damage, *more)

    monkeypatch.setattr(records.RecordReader, "__init__", everything)
    for path, found in zip(paths, quick, strict=True):
        whole = read_file(str(path), Bounds())
        assert (found.processes, found.damage) == (whole.processes, whole.damage), path


def test_what_only_looks_like_a_head_is_no_damage(tmp_path: Path) -> None:
    log = LogWriter()
    for index in range(2_000):
        source = "] {" if index % 30 == 29 else "x"
        log.record("describe_source", {"source": source}, frame_id=0, frame_compile_id=0)
    found = read(log.data, tmp_path)
    assert found.processes[0].records == 2_000
    assert not found.damage


def test_many_lines_of_something_else_are_one_step() -> None:
    others = b"step 1\n" * 1_000
    wanted = part_of_record([b"] [", b"(told)"])
    for part in (
        b"(told) b\n",
        b'V1121 06:19:36.425000 1 a.py:4] {"a": {}}\n',
        b"a] [b\n",
        b"torn",
    ):
        found = other_lines(others + part, 0, wanted)

        assert found is not None
        assert (found.end, found.lines, found.records) == (len(others), 1_000, 0)
        assert other_lines(others + part, found.end, wanted) is None
