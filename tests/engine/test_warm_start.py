"""What happens to the file in one process; tests/integration/test_caches.py has whole starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ca_engine import cache_file, cache_url, trace, warm_start
from ca_engine.cache_file import CacheFile, CacheFileError
from ca_engine.compat import autograd_cache, cache_artifacts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_process_that_compiles_nothing_neither_reads_nor_writes(tmp_path: Path) -> None:
    path = tmp_path / "warm.cache"
    path.write_bytes(b"not read")
    _, save = warm_start.begin(str(path))
    save()
    assert path.read_bytes() == b"not read"


def test_libraries_come_where_inductor_looks_and_replace_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    (folder / "ab").mkdir(parents=True)
    (folder / "ab" / "cthere.so").write_bytes(b"own")
    monkeypatch.setattr(autograd_cache, "folder", lambda: str(folder))
    path = tmp_path / "warm.cache"
    libraries = {"ab/cthere.so": b"other", "xy/cnew.so": b"new"}
    cache_file.write(path, CacheFile(str(torch.__version__), libraries=libraries))
    monkeypatch.setattr(cache_artifacts, "keep_profile", lambda name: None)

    before_compile, _ = warm_start.begin(str(path))
    before_compile()

    assert (folder / "ab" / "cthere.so").read_bytes() == b"own"
    assert (folder / "xy" / "cnew.so").read_bytes() == b"new"
    assert cache_artifacts.libraries(folder).keys() == {"ab/cthere.so", "xy/cnew.so"}


def test_a_file_of_another_torch_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cache_artifacts, "keep_profile", lambda name: None)
    path = tmp_path / "warm.cache"
    cache_file.write(path, CacheFile("1.0"))
    before_compile, _ = warm_start.begin(str(path))
    before_compile()
    before_compile()
    told = capsys.readouterr().err
    assert told == (
        f"ca: {path} was not used: it was made with torch 1.0, and this is {torch.__version__}; "
        "compiling from scratch\n"
    )


def test_a_url_is_read_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setattr(autograd_cache, "folder", lambda: str(folder))
    monkeypatch.setattr(cache_artifacts, "keep_profile", lambda name: None)
    path = tmp_path / "warm.cache"
    cache_file.write(path, CacheFile(str(torch.__version__), libraries={"xy/cnew.so": b"new"}))
    asked = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return path.read_bytes()

    monkeypatch.setattr(cache_url, "fetch", fetch)
    monkeypatch.chdir(tmp_path)
    url = "https://me:word@example.com/warm.cache?signature=x"
    records = []
    monkeypatch.setattr(trace, "compact_artifact", lambda _, make: records.append(make()))
    before_compile, save = warm_start.begin(url)
    before_compile()
    save()

    assert asked == [url]
    assert (folder / "xy" / "cnew.so").read_bytes() == b"new"
    assert {file.name for file in tmp_path.iterdir()} == {"warm.cache", "cache"}
    (record,) = records
    assert (record["file"], record["saved_bytes"]) == ("https://example.com/warm.cache", None)


def test_a_url_that_can_not_be_fetched_is_said_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cache_artifacts, "keep_profile", lambda name: None)

    def fetch(url: str) -> bytes:
        raise CacheFileError("the server says 404 Not Found")

    monkeypatch.setattr(cache_url, "fetch", fetch)
    before_compile, _ = warm_start.begin("https://example.com/warm.cache?signature=x")
    before_compile()
    assert capsys.readouterr().err == (
        "ca: https://example.com/warm.cache was not used: the server says 404 Not Found; "
        "compiling from scratch\n"
    )
