"""Where logs come from: packed files, URLs, stdin, pools of processes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import sys
import time
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from fsspec.implementations.memory import MemoryFileSystem

import ca_reports
from ca_reports.build.bounds import Bounds
from ca_reports.errors import NothingReadable
from ca_reports.gather import pool
from ca_reports.gather.filereading import FileResult, read_file
from ca_reports.limitations import limitations
from ca_reports.model import Run
from ca_reports.read import opening
from ca_reports.read.opening import Unpacking, open_log
from tests import slopes
from tests.unit.logwriter import GRAPH_CODE, LogWriter, run_file, sample_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    """A file system behind ``memory://``, empty before and after."""
    system = MemoryFileSystem()
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


def incompressible(size: int) -> bytes:
    """A log of about so many bytes that packs badly, so that a half of it is a half."""
    log = LogWriter()
    id = 0
    while len(log.data) < size:
        log.torch_capture(id, code=f"# {os.urandom(20_000).hex()}\n{GRAPH_CODE}")
        id += 1
    return log.data


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["trace.log", "trace"])
def test_packed_files_whatever_their_name(tmp_path: Path, kind: str, name: str) -> None:
    data = sample_run().data
    path = tmp_path / name
    path.write_bytes(PACKERS[kind](data))
    with open_log(path) as stream:
        assert b"".join(iter(lambda: stream.read(1000), b"")) == data
    run = ca_reports.load([path])
    assert len(run.captures) == 3
    assert not run.damage


@pytest.mark.parametrize("kind", PACKERS)
def test_several_packed_members_in_a_row(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "trace.log"
    data = sample_run().data
    path.write_bytes(b"".join(PACKERS[kind](part) for part in (data[:700], b"", data[700:])))
    assert len(ca_reports.load([path]).captures) == 3


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_that_are_cut_give_what_they_have(tmp_path: Path, kind: str) -> None:
    packed = PACKERS[kind](incompressible(3_000_000))
    path = tmp_path / "trace.log"
    path.write_bytes(packed[: len(packed) // 2])
    run = ca_reports.load([path])
    assert len(run.captures) > 5
    assert "bad_compression" in {damage.kind for damage in run.damage}


@pytest.mark.parametrize("kind", PACKERS)
def test_packed_files_that_are_broken_say_so(tmp_path: Path, kind: str) -> None:
    packed = bytearray(PACKERS[kind](incompressible(500_000)))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = bytes(40)
    path = tmp_path / "trace.log"
    path.write_bytes(packed)
    found = {damage.kind for damage in read_file(str(path), Bounds()).damage}
    assert found & {"bad_compression", "md5_mismatch"}


RECORD = b'V1123 03:46:30.123456 77 t.py:1] {"artifact": {"name": "x"}, "has_payload": "0"}\n\t'
# What a bomb is made of: a beginning, and what follows again and again.
BOMBS = {
    "zeros": (b"", bytes(1 << 16)),
    "one line": (RECORD, b"a" * (1 << 16)),
    "lines": (b"", b"\n" * (1 << 16)),
    "records": (b"", RECORD.removesuffix(b"\t") * 500),
    "nested": (b"", zstandard.compress(gzip.compress(bytes(1 << 20))) * 500),
}


def packed(kind: str, begin: bytes, again: bytes, size: int) -> bytes:
    """Pack ``begin``, and ``again`` until it is of ``size`` bytes, without holding them."""
    out = io.BytesIO()
    writer: Any
    if kind == "zst":
        writer = zstandard.ZstdCompressor().stream_writer(out, closefd=False)
    elif kind == "gz":
        writer = gzip.GzipFile(fileobj=out, mode="wb")
    else:
        writer = (bz2.BZ2File if kind == "bz2" else lzma.LZMAFile)(out, "wb")
    writer.write(begin)
    for _ in range(size // len(again)):
        writer.write(again)
    writer.close()
    return out.getvalue()


def test_a_zstd_bomb_is_read_in_bounded_pieces(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zst"
    path.write_bytes(packed("zst", b"", bytes(1 << 20), 1 << 30))
    tracemalloc.start()
    try:
        with open_log(path) as stream:
            assert max(len(stream.read(1 << 16)) for _ in range(400)) == 1 << 16
        assert tracemalloc.get_traced_memory()[1] < 48 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", BOMBS)
@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, what: str
) -> None:
    """Whatever it is made of: so many times its own size are read, no more."""
    monkeypatch.setattr(opening, "_MOST_UNPACKED", 1 << 18)
    monkeypatch.setattr(opening, "_MOST_TIMES", 20)
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(packed(kind, *BOMBS[what], 8 << 20))
    most = max(1 << 18, 20 * path.stat().st_size)
    if most > 4 << 20:
        pytest.skip("what was packed already packs no further")
    found = read_file(str(path), Bounds())
    # What is read at once comes to that.
    assert found.bytes < most + (2 << 20)
    kinds = {damage.kind for damage in found.damage}
    assert "bad_compression" in kinds or kinds == {"not_a_trace"}


def test_a_log_that_packs_well_is_read_to_its_end(tmp_path: Path) -> None:
    data = sample_run().data
    path = tmp_path / "trace.zst"
    path.write_bytes(zstandard.compress(data * 300))
    run = ca_reports.load([path])
    assert path.stat().st_size < len(data)
    assert "bad_compression" not in {found.kind for found in run.damage}


@pytest.mark.parametrize("size", [1 << 40, 1 << 62])
def test_what_a_zstd_file_says_of_its_size_takes_no_memory(tmp_path: Path, size: int) -> None:
    data = sample_run().data
    frame = bytearray(zstandard.ZstdCompressor(write_content_size=False).compress(data))
    # Of an unknown size with a window: say one of 8 bytes after the window's byte.
    frame[4] |= 0b11 << 6
    frame[6:6] = size.to_bytes(8, "little")
    path = tmp_path / "trace.zst"
    path.write_bytes(frame)
    tracemalloc.start()
    try:
        found = {damage.kind for damage in read_file(str(path), Bounds()).damage}
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert "bad_compression" in found


def test_a_window_that_no_trace_needs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.zst"
    frame = bytearray(zstandard.ZstdCompressor(write_content_size=False).compress(b"x"))
    frame[5] = (31 - 10) << 3  # 2 GiB
    path.write_bytes(frame)
    assert [found.kind for found in read_file(str(path), Bounds()).damage] == ["bad_compression"]


def test_many_members_take_time_in_proportion(tmp_path: Path) -> None:
    def members(count: int) -> bytes:
        return gzip.compress(b"", mtime=0) * count + gzip.compress(sample_run().data)

    path = tmp_path / "trace.gz"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        assert len(ca_reports.load([path], jobs=1).captures) == 3

    assert slopes.steady(read, members, 2_000) < 1.5


def test_a_link_that_leads_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    """Who made the folder does not know what else of this machine may be shown."""
    run, outside = tmp_path / "run", tmp_path / "outside"
    other = LogWriter(pid=7)
    other.ca_run()
    other.write(outside / "secret.log")
    sample_run().write(run / "trace" / "x.log")
    (run / "run.json").write_text("{}")
    (run / "trace" / "y.log").symlink_to(outside / "secret.log")
    (run / "trace" / "z.log").symlink_to("x.log")

    found = ca_reports.load([run])

    assert len(found.processes) == 1
    assert [(one.kind, one.file) for one in found.damage] == [
        ("link", str(run / "trace" / "y.log"))
    ]
    assert len(ca_reports.load([run / "trace" / "y.log"]).processes) == 1  # it was named
    (run / "trace").rename(run / "kept")
    (run / "trace").symlink_to(outside)
    with pytest.raises(NothingReadable):
        ca_reports.load([run])


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(gzip.compress(sample_run().data))

    monkeypatch.setattr(sys, "stdin", Input())
    run = ca_reports.load(["-"])
    assert run.files == run.paths == ("<stdin>",)
    assert len(run.captures) == 3


def test_urls(memory: MemoryFileSystem) -> None:
    log = sample_run().data
    memory.pipe("/job/a/dedicated_log_torch_trace_rank_3_x.log", log)
    memory.pipe("/job/a/notes.txt", b"notes")
    memory.pipe("/job/b.log.zst", zstandard.compress(LogWriter(pid=5).data + log))
    file = ca_reports.load(["memory://job/a/dedicated_log_torch_trace_rank_3_x.log"])
    assert len(file.captures) == 3
    assert file.processes[0].rank == 3
    assert ca_reports.load(["memory://job/a"]).files == file.files
    assert len(ca_reports.load(["memory://job/*.zst"]).captures) == 3
    with pytest.raises(NothingReadable, match="no such file"):
        ca_reports.load(["memory://job/nowhere.log"])
    with pytest.raises(NothingReadable, match="matches"):
        ca_reports.load(["memory://job/*.nothing"])
    with pytest.raises(NothingReadable, match="nosuch"):
        ca_reports.load(["nosuch://job/x.log"])


def test_a_run_folder_behind_a_url(memory: MemoryFileSystem) -> None:
    import orjson

    memory.pipe("/runs/one/run.json", orjson.dumps(run_file(exit_code=3)))
    memory.pipe("/runs/one/trace/dedicated_log_torch_trace_x.log", sample_run().data)
    run = ca_reports.load(["memory://runs/one"])
    assert [found.exit_code for found in run.recorded] == [3]
    assert len(run.captures) == 3
    assert not run.damage


def test_a_folder_of_runs_is_a_question(tmp_path: Path) -> None:
    for name in ("first", "second"):
        folder = tmp_path / "ca-runs" / name
        sample_run().write(folder / "trace" / "x.log")
        (folder / "run.json").write_text("{}")
    with pytest.raises(NothingReadable, match="holds 2 runs: name one, such as"):
        ca_reports.load([tmp_path / "ca-runs"])
    assert len(ca_reports.load([str(tmp_path / "ca-runs" / "*")]).recorded) == 2


def test_the_only_run_of_a_folder_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "ca-runs" / "first"
    sample_run().write(folder / "trace" / "x.log")
    (folder / "run.json").write_text("{}")
    run = ca_reports.load([tmp_path / "ca-runs"])
    assert [one.folder for one in run.recorded] == [str(folder)]
    # A link may lead out of what the user named.
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "first").symlink_to(folder)
    with pytest.raises(NothingReadable, match="holds 1 run: name one"):
        ca_reports.load([tmp_path / "links"])


# ---- several files


def many(tmp_path: Path, number: int = 4) -> list[Path]:
    files = []
    for rank in range(number):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run()
        for id in range(rank + 1):
            log.ca_capture(id)
            log.torch_capture(id)
        files.append(log.write(tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log"))
    return files


def test_a_pool_reads_what_one_process_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(tmp_path)
    (tmp_path / "broken.log").write_bytes(b"\x00\x01")
    alone = ca_reports.load([tmp_path], jobs=1)
    monkeypatch.setattr(pool, "WORTH_A_POOL", 0)
    pooled = ca_reports.load([tmp_path], jobs=2)
    assert pooled == alone
    assert [len(process.captures) for process in pooled.processes] == [1, 2, 3, 4]
    assert [process.index for process in pooled.processes] == [0, 1, 2, 3]
    assert [capture.process for capture in pooled.captures] == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_progress_is_told_of_every_byte_and_file(tmp_path: Path) -> None:
    files = many(tmp_path)

    class Told:
        read = 0
        done = 0

        def start(self, files: int, size: int | None) -> None:
            self.files, self.size = files, size

        def advance(self, size: int) -> None:
            self.read += size

        def file_done(self) -> None:
            self.done += 1

    told = Told()
    ca_reports.load(files, jobs=1, progress=told)
    assert (told.files, told.done) == (4, 4)
    assert told.read == told.size == sum(path.stat().st_size for path in files)


def _dies(name: str, *args: object) -> FileResult:
    if "rank_1" in name:
        os._exit(9)
    return read_file(name, Bounds(), os.path.basename(name))  # noqa: PTH119


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork, to hand the function over")
def test_a_reader_that_dies_costs_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = many(tmp_path)
    monkeypatch.setattr(pool, "WORTH_A_POOL", 0)
    monkeypatch.setattr(pool, "read_file", _dies)
    results = pool.read_all([str(path) for path in files], Bounds(), jobs=2)
    assert [len(found.processes) for found in results] == [1, 0, 1, 1]
    (damage,) = results[1].damage
    assert "killed" in damage.detail


def test_results_can_cross_processes(tmp_path: Path) -> None:
    result = read_file(str(sample_run().write(tmp_path / "x.log")), Bounds())
    assert pickle.loads(pickle.dumps(result)) == result


def test_what_one_of_many_files_keeps_is_bounded(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for batch in range(30):
        log.ca_backwards([(0, 0)] * 1000, first_step=batch * 1000)
    for id in range(700):
        log.ca_capture(id)
    path = str(log.write(tmp_path / "x.log"))
    bounds = Bounds.of_one_among(1024)
    result = read_file(path, bounds)
    (process,) = result.processes
    assert len(process.captures) == bounds.captures == 500
    assert process.backwards is not None
    assert len(process.backwards) == bounds.rows == 10_000
    assert process.backwards.count == 30_000
    assert "too_many" in {damage.kind for damage in result.damage}
    assert len(pickle.dumps(result)) < 1_000_000


def test_guards_of_captured_graphs_are_read_for_pages_only(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for compile_id in ("!0/0/0", "1/0"):
        log.compiled(compile_id, 1.0)
        log.record("dynamo_cpp_guards_str", {}, "+- guard\n" * 9_000, **log.context(compile_id))
    path = log.write(tmp_path / "a.log")

    whole, lean = ca_reports.load([path]), ca_reports.load([path], all_guards=False)

    assert [bool(found.guards) for found in whole.compiles] == [True, True]
    assert [bool(found.guards) for found in lean.compiles] == [False, True]
    assert [replace(found, guards=None) for found in lean.compiles] == [
        replace(found, guards=None) for found in whole.compiles
    ]
    assert lean.processes[0].records == whole.processes[0].records
    assert lean.damage == whole.damage == ()


def test_reading_on_after_broken_data_is_an_error_again(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(bytes(100_000)) + b"no frame")
    with open_log(path) as stream:
        data = stream.read(1 << 20)
        assert data == bytes(100_000)
        for _ in range(2):
            with pytest.raises(Unpacking):
                stream.read(1)


def test_compiles_beyond_the_bound_are_counted_and_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    bounds = Bounds.of_one_among(1024)
    for number in range(bounds.compiles + 30):
        log.compiled(f"0/{number}")
    result = read_file(str(log.write(tmp_path / "x.log")), bounds)
    (process,) = result.processes
    assert len(process.compiles) == bounds.compiles
    # Each of them writes several records, and is one compile.
    left_out = [found for found in result.damage if found.kind == "too_many_compiles"]
    assert sum(found.count for found in left_out) == 30
    run = Run(paths=(), files=(), processes=tuple(result.processes), damage=tuple(result.damage))
    told = {found.subject: found.text for found in limitations(run)}
    assert told["compiles"] == (
        "All that was compiled: 30 compiles beyond the first 2,000 are in no count and no finding."
    )


@pytest.mark.parametrize("line", [b"\n", b"x\n", b"\r\n", b"] {\n"])
def test_a_packed_file_of_millions_of_lines_is_given_up_soon(tmp_path: Path, line: bytes) -> None:
    """Of 100 KB: without a record in the first million lines, it is taken for something else."""
    path = tmp_path / "trace.log.gz"
    path.write_bytes(gzip.compress(line * (40_000_000 // len(line)), 1))
    begin = time.process_time()

    result = read_file(str(path), Bounds())

    assert [found.kind for found in result.damage] == ["not_a_trace"]
    assert time.process_time() - begin < 15


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these files")
def test_a_file_of_the_kernel_is_not_read() -> None:
    """To read `/proc/kmsg`, which a link in a folder may lead to, waits for ever."""
    with open_log("/proc/self/status") as stream:
        assert stream.read() == b""
