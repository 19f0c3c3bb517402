"""What happens to the file in one process; tests/integration/test_caches.py has whole starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch._inductor.codecache  # which tells what an artifact of inductor's is
from torch._dynamo.package import CompilePackage, DynamoCache, PrecompileCacheEntry
from torch.compiler._cache import CacheArtifactManager

from ca_engine import cache_file, cache_url, trace, warm_start
from ca_engine.cache_file import CacheFile, CacheFileError
from ca_engine.compat import autograd_cache, cache_artifacts

if TYPE_CHECKING:
    from pathlib import Path


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


def test_the_file_is_there_before_dynamo_asks_its_own_cache(path: Path) -> None:
    cache_file.write(path, CacheFile(str(torch.__version__), libraries={"xy/cnew.so": b"new"}))

    def step(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    warm_start.begin(str(path))
    try:
        with torch._dynamo.config.patch(caching_precompile=True):
            torch.compile(step, backend="eager")  # asks, and compiles nothing yet
    finally:
        vars(DynamoCache).pop("load", None)
    assert (path.parent / "cache" / "xy" / "cnew.so").read_bytes() == b"new"


DAY = 24 * 60 * 60


def starts_on(path: Path, monkeypatch: pytest.MonkeyPatch, day: int, *keys: str) -> None:
    """Start a program that takes or gives the graphs of these keys."""
    monkeypatch.setattr("time.time", lambda: day * DAY + 1.0)
    before_compile, save = warm_start.begin(str(path))
    before_compile()
    with CacheArtifactManager.with_fresh_cache():
        for key in keys:
            CacheArtifactManager.record_artifact("inductor", key, key.encode() * 10)
        save()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(autograd_cache, "folder", lambda: str(tmp_path / "cache"))
    monkeypatch.setattr(cache_artifacts, "keep_profile", lambda name: None)
    monkeypatch.setattr(cache_artifacts, "restore", lambda artifacts: {})
    return tmp_path / "warm.cache"


def keys_in(path: Path) -> set[str]:
    found = cache_file.read(path, str(torch.__version__))
    assert found is not None
    held = {artifact.key for _, artifact in cache_artifacts.unpacked(found.artifacts)}
    assert held == set(found.keys["inductor"]) == found.used["inductor"].keys()
    return held


def test_a_file_does_not_grow_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for day in range(1_000, 1_100):
        starts_on(path, monkeypatch, day, "stays", f"of{day}")
        sizes.append(path.stat().st_size)
    assert keys_in(path) == {"stays", *(f"of{day}" for day in range(1_069, 1_100))}
    assert max(sizes[40:]) <= 1.01 * sizes[40]


def test_ranks_that_use_other_graphs_keep_each_other_s(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1_000, 1_100, 20):
        starts_on(path, monkeypatch, day, "of rank 0")
        starts_on(path, monkeypatch, day, "of rank 1")
    assert keys_in(path) == {"of rank 0", "of rank 1"}


@pytest.mark.parametrize(
    ("content", "is_replaced"),
    [(b"weights of a model", False), (b"", True), (b"ca-cac", True), (b"ca-cache\n{", True)],
)
def test_a_file_of_another_kind_is_never_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, *, is_replaced: bool
) -> None:
    path.write_bytes(content)
    starts_on(path, monkeypatch, 1_000, "one")
    assert (path.read_bytes() != content) == is_replaced


def test_a_start_that_only_takes_functions_of_dynamos_cache_is_a_use_of_them(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    key = CompilePackage.source_id_from_fn(step)
    monkeypatch.setattr("time.time", lambda: 1_000 * DAY + 1.0)
    before_compile, save = warm_start.begin(str(path))
    before_compile()
    with CacheArtifactManager.with_fresh_cache():
        for name in (key, "another"):
            CacheArtifactManager.record_artifact("precompile", name, b"a function")
        save()
    vars(DynamoCache).pop("load", None)
    entry = PrecompileCacheEntry(CompilePackage(step).cache_entry(), {})
    monkeypatch.setattr(type(DynamoCache), "load", lambda cache, function: entry)
    monkeypatch.setattr("time.time", lambda: 1_001 * DAY + 1.0)
    _, save = warm_start.begin(str(path))
    try:
        with CacheArtifactManager.with_fresh_cache():
            DynamoCache.load(step)
            save()
    finally:
        vars(DynamoCache).pop("load", None)
    found = cache_file.read(path, str(torch.__version__))
    assert found is not None
    assert found.used == {"precompile": {key: 1_001, "another": 1_000}}
    held = {artifact.key for _, artifact in cache_artifacts.unpacked(found.artifacts)}
    assert held == {key, "another"}


def test_a_start_that_brings_nothing_new_writes_once_a_day(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts_on(path, monkeypatch, 1_000, "one", "two")
    first = path.stat().st_mtime_ns
    starts_on(path, monkeypatch, 1_000, "one")
    assert path.stat().st_mtime_ns == first
    starts_on(path, monkeypatch, 1_001, "one")
    found = cache_file.read(path, str(torch.__version__))
    assert found is not None
    assert found.used == {"inductor": {"one": 1_001, "two": 1_000}}
