"""Packed files: whatever they are called, however they end, whatever they unpack to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

import ca_reports
from ca_reports.logs import opening, records
from ca_reports.logs.opening import Unpacking, open_log
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.filereading import read_file
from tests import slopes
from tests.unit.logwriter import GRAPH_CODE, LogWriter, sample_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


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


@pytest.mark.long
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


@pytest.mark.long
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


def test_reading_on_after_broken_data_is_an_error_again(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(bytes(100_000)) + b"no frame")
    with open_log(path) as stream:
        data = stream.read(1 << 20)
        assert data == bytes(100_000)
        for _ in range(2):
            with pytest.raises(Unpacking):
                stream.read(1)


@pytest.mark.parametrize("line", [b"\n", b"x\n", b"\r\n", b"] {\n"])
def test_a_packed_file_of_millions_of_lines_is_given_up_soon(
    tmp_path: Path, line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a record in so many lines it is taken for something else, and read no further."""
    lines = 1 << 14
    monkeypatch.setattr(records, "GIVE_UP_AFTER_LINES", lines)
    path = tmp_path / "trace.log.gz"
    path.write_bytes(gzip.compress(line * 10_000_000, 1))
    sizes: list[int] = []

    result = read_file(str(path), Bounds(), progress=sizes.append)

    assert [found.kind for found in result.damage] == ["not_a_trace"]
    assert lines * len(line) < sum(sizes) < 10_000_000 * len(line) / 2


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("size", [1, 1000, -1])
def test_what_powershell_redirects_is_read(tmp_path: Path, encoding: str, size: int) -> None:
    text = "\ufeff" + "V1121 09:34:50.006000 1 torch/ä.py:1] [0/1] \N{SNAKE} x\r\n" * 3
    path = tmp_path / "stderr.txt"
    path.write_bytes(text.encode(encoding))
    with open_log(path) as stream:
        read = b"".join(iter(lambda: stream.read(size), b""))
    assert read.decode() == text.removeprefix("\ufeff")


def test_a_mark_of_the_order_of_bytes_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "stderr.txt"
    path.write_text("torch", "utf-8-sig")
    with open_log(path) as stream:
        assert stream.read() == b"torch"


def test_a_cut_character_of_two_words_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "stderr.txt"
    path.write_bytes("\ufeffab".encode("utf-16-le") + b"\x3d")
    with open_log(path) as stream:
        assert stream.read() + stream.read() == "ab\ufffd".encode()
