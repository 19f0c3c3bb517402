"""Carries compiled graphs from one start to the next: `ca run --cache FILE_OR_URL`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch

from ca_engine import cache_file, cache_url, schema, trace
from ca_engine.cache_file import CacheFile, CacheFileError
from ca_engine.compat import autograd_cache, cache_artifacts

# Under which PGO keeps its profile, where the program names no job.
_JOB = "ca"


class WarmStart:
    """The file's part in one process: loaded before the first compile, saved at the end."""

    def __init__(self, place: str) -> None:
        """``place`` is a path, which need not exist, or a URL, which is only read."""
        self._url = place if cache_url.is_url(place) else None
        self._path = Path(place)
        self._shown = place if self._url is None else cache_url.shown(place)
        self._loaded: CacheFile | None = None
        self._is_loaded = False
        self._problem: str | None = None
        self._seconds = 0.0

    def before_compile(self) -> None:
        """Load the file, the first time that something is compiled."""
        if self._is_loaded:
            return
        self._is_loaded = True
        began = time.perf_counter()
        cache_artifacts.keep_profile(_JOB)
        try:
            self._loaded = self._read(str(torch.__version__))
            if self._loaded is not None:
                self._restore(self._loaded)
        except (CacheFileError, OSError) as error:
            self._loaded = None
            self._problem = str(error)
            say(f"{self._shown} was not used: {error}; compiling from scratch")
        self._seconds = time.perf_counter() - began

    def _read(self, version: str) -> CacheFile | None:
        if self._url is not None:
            return cache_file.parse(cache_url.fetch(self._url), version)
        return cache_file.read(self._path, version)

    def _restore(self, loaded: CacheFile) -> None:
        cache_artifacts.put_libraries(Path(autograd_cache.folder()), loaded.libraries)
        if loaded.artifacts and cache_artifacts.restore(loaded.artifacts) is None:
            raise CacheFileError("torch can't read its part of it")

    def save(self) -> None:
        """Write the file, if this process compiled anything that it does not hold.

        Nothing is sent to a URL.
        """
        if not self._is_loaded:
            return
        saved = new = None
        try:
            if self._url is None:
                with _locked(self._path):
                    saved, new = self._save()
        except OSError as error:
            self._problem = str(error)
            say(f"{self._path} was not written: {error.strerror or error}")
        record: schema.CacheFileRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "file": self._shown,
            "loaded": {} if self._loaded is None else _in_short(self._loaded),
            "load_seconds": self._seconds,
            "problem": self._problem,
            "saved_bytes": saved,
            "new": new,
        }
        trace.compact_artifact(schema.CACHE_FILE_RECORD, lambda: record)

    def _save(self) -> tuple[int | None, int | None]:
        """Merge with what other processes have put there meanwhile; return size and new keys."""
        earlier = CacheFile(str(torch.__version__))
        with suppress(CacheFileError):  # a file that can't be used is replaced
            earlier = cache_file.read(self._path, earlier.torch) or earlier
        made = cache_artifacts.bundle(earlier.artifacts)
        if made is None:
            return None, None
        artifacts, keys = made
        known = {(kind, key) for kind, found in earlier.keys.items() for key in found}
        new = {(kind, key) for kind, found in keys.items() for key in found} - known
        own = cache_artifacts.libraries(Path(autograd_cache.folder()))
        own = {name: path for name, path in own.items() if name not in earlier.libraries}
        if not new and not own:
            return None, 0
        libraries = {
            **earlier.libraries,
            **{name: path.read_bytes() for name, path in own.items()},
        }
        merged = CacheFile(earlier.torch, artifacts, libraries, keys)
        return cache_file.write(self._path, merged), len(new)


def _in_short(loaded: CacheFile) -> dict[str, list[str]]:
    return {kind: list(keys) for kind, keys in loaded.keys.items()}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process of a job after the other; a system without such locks goes on without."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    """Print one line, whatever has become of stderr."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"ca: {text}\n")


def begin(place: str) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return what is to be called before each compile, and at the end of the process."""
    start = WarmStart(place)
    return start.before_compile, start.save
