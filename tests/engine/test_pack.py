"""What is packed of a folder; tests/integration/test_caches.py starts from a packed run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.compiler._cache import CacheArtifactManager

from ca_engine import cache_file, pack
from ca_engine.compat import cache_artifacts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

KEY = "f" + "a" * 51


def test_entries_under_the_keys_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    entry = tmp_path / "cache" / "fxgraph" / KEY[1:3] / KEY / "entry"
    other = tmp_path / "cache" / "fxgraph" / "bb" / f"f{'b' * 51}" / "entry"
    for file in (entry, other, tmp_path / "secret"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"content")
    library = tmp_path / "cache" / "ab" / "cabc.so"
    library.parent.mkdir()
    library.write_bytes(b"library")
    path = tmp_path / "warm.cache"
    keys = {"inductor": [KEY, "f" + "c" * 51, "../../../secret"]}

    with CacheArtifactManager.with_fresh_cache():
        made = pack.pack(path, keys, until=library.stat().st_mtime + 1)
    with CacheArtifactManager.with_fresh_cache():
        nothing = cache_artifacts.bundle_of({"inductor": []})

    assert (made["entries"], made["libraries"], made["bytes"]) == (1, 1, path.stat().st_size)
    contents = cache_file.read(path, str(torch.__version__))
    assert contents is not None
    assert contents.keys == {"inductor": [KEY]}
    assert contents.libraries == {"ab/cabc.so": b"library"}
    assert nothing is None


def test_nothing_is_written_where_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "cache"))
    with CacheArtifactManager.with_fresh_cache():
        made = pack.pack(tmp_path / "w.cache", {"inductor": [KEY]}, until=0.0)
    assert made == {"entries": 0, "libraries": 0, "bytes": 0}
    assert not (tmp_path / "w.cache").exists()
