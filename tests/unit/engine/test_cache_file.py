"""The file that carries compiled graphs: what comes back, and what is turned away."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine import cache_file
from ca_engine.cache_file import CacheFile, CacheFileError, ForeignFileError

if TYPE_CHECKING:
    from pathlib import Path

TORCH = "2.13.0+cpu"
WHOLE = CacheFile(
    TORCH,
    b"artifacts\n\x00",
    {"ab/cabc.so": b"\x7fELF", "xy/cxyz.main.so": b""},
    {"inductor": ["f1", "f2"], "pgo": ["ca:0"]},
    {"inductor": {"f1": 20_000}, "libraries": {"ab/cabc.so": 19_999}},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "warm.cache"


def changed_header(path: Path, **changes: object) -> None:
    magic, header, rest = path.read_bytes().split(b"\n", 2)
    header = json.dumps({**json.loads(header), **changes}).encode()
    path.write_bytes(b"\n".join((magic, header, rest)))


def test_what_was_written_comes_back(path: Path) -> None:
    assert cache_file.read(path, TORCH) is None
    assert cache_file.write(path, WHOLE) == path.stat().st_size
    assert cache_file.read(path, TORCH) == WHOLE
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_that_fails_to_be_written_leaves_the_old_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_file.write(path, WHOLE)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OSError, match="No space"):
        cache_file.write(path, replace(WHOLE, artifacts=b"more"))
    monkeypatch.undo()
    assert cache_file.read(path, TORCH) == WHOLE
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_every_torn_end_and_every_flipped_byte_is_damage(path: Path) -> None:
    cache_file.write(path, WHOLE)
    data = path.read_bytes()
    for end in range(len(cache_file.MAGIC), len(data)):
        path.write_bytes(data[:end])
        with pytest.raises(CacheFileError, match="damaged"):
            cache_file.read(path, TORCH)
    contents = data.index(b"\n", len(cache_file.MAGIC)) + 1
    for at in range(contents, len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(CacheFileError, match="damaged"):
            cache_file.read(path, TORCH)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": 2}, "a newer version of ca"),
        ({"torch": "2.12.0"}, "made with torch 2.12.0, and this is 2.13.0"),
        ({"sections": 3}, "damaged"),
        ({"sections": [["", -1, ""]]}, "damaged"),
    ],
)
def test_files_of_others_are_turned_away(path: Path, changes: dict[str, object], why: str) -> None:
    cache_file.write(path, WHOLE)
    changed_header(path, **changes)
    with pytest.raises(CacheFileError, match=why):
        cache_file.read(path, TORCH)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04", "not a cache file"),
        (b"\x80\x04pickled", "not a cache file"),
        (b"", "damaged"),
        (b"ca-cache", "damaged"),
    ],
)
def test_what_is_no_such_file_is_turned_away(path: Path, data: bytes, told: str) -> None:
    path.write_bytes(data)
    with pytest.raises(CacheFileError, match=told):
        cache_file.read(path, TORCH)


@pytest.mark.parametrize("name", ["../x.so", "/etc/x.so", "ab/../../x.so", "ab/x.py", "ab/X.so"])
def test_no_library_lies_elsewhere(path: Path, name: str) -> None:
    cache_file.write(path, replace(WHOLE, libraries={name: b"x"}))
    with pytest.raises(CacheFileError, match="damaged"):
        cache_file.read(path, TORCH)


def test_libraries_for_another_cpu_are_left_out(path: Path) -> None:
    cache_file.write(path, WHOLE)
    changed_header(path, cpu="Linux x86_64 of another kind")
    assert cache_file.read(path, TORCH) == replace(WHOLE, libraries={})


@pytest.mark.parametrize(
    ("made_for", "libraries", "is_refused"),
    [
        ("AVX512", WHOLE.libraries, True),
        ("AVX2", WHOLE.libraries, False),
        # A file of an earlier version of ca, and one without code for a CPU.
        ("", WHOLE.libraries, False),
        ("AVX512", {}, False),
    ],
)
def test_code_for_other_vector_instructions_is_turned_away_and_stays(
    path: Path, made_for: str, libraries: dict[str, bytes], *, is_refused: bool
) -> None:
    cache_file.write(path, replace(WHOLE, libraries=libraries, vectors=made_for))
    if not is_refused:
        found = cache_file.read(path, TORCH, "AVX2")
        assert found is not None
        assert found.artifacts == WHOLE.artifacts
        return
    told = "it has code for a CPU with AVX512, and this one has AVX2; it is left as it is"
    with pytest.raises(ForeignFileError, match=told):
        cache_file.read(path, TORCH, "AVX2")


def test_a_folder_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(CacheFileError, match="directory"):
        cache_file.read(tmp_path, TORCH)
