"""Carries compiled graphs from one start to the next: `ca run --cache FILE_OR_URL`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import torch

from ca_engine import cache_age, cache_file, cache_url, schema, trace
from ca_engine.cache_age import AgedEntry
from ca_engine.cache_file import LIBRARIES, CacheFile, CacheFileError, ForeignFileError
from ca_engine.compat import autograd_cache, cache_artifacts, dynamo_cache

# Under which PGO keeps its profile, where the program names no job.
_JOB = "ca"
_DAY = 24 * 60 * 60


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
        self._functions: set[str] = set()

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

    def took_function(self, key: str) -> None:
        """Note that Dynamo's own cache served a function."""
        self._functions.add(key)

    def _read(self, version: str) -> CacheFile | None:
        if self._url is not None:
            return cache_file.parse(cache_url.fetch(self._url), version, cache_artifacts.vectors())
        return cache_file.read(self._path, version, cache_artifacts.vectors())

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
        saved = None
        try:
            if self._url is None:
                with _locked(self._path):
                    saved = self._save()
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
            "saved_bytes": None if saved is None else saved.size,
            "new": None if saved is None else saved.new,
            "gone": None if saved is None else saved.gone,
        }
        trace.compact_artifact(schema.CACHE_FILE_RECORD, lambda: record)

    def _save(self) -> _Saved | None:
        """Merge with what other processes have put there meanwhile; None if nothing is new.

        The day of an entry's last use is news, too.
        """
        earlier = CacheFile(str(torch.__version__), vectors=cache_artifacts.vectors())
        try:
            earlier = cache_file.read(self._path, earlier.torch, earlier.vectors) or earlier
        except ForeignFileError:
            return None
        except CacheFileError:  # a cache file that can't be used is replaced
            pass
        today = int(time.time() // _DAY)
        taken = {(kind, found.key): len(found.content) for kind, found in cache_artifacts.own()}
        libraries = cache_artifacts.libraries(Path(autograd_cache.folder()))
        taken |= {(LIBRARIES, name): path.stat().st_size for name, path in libraries.items()}
        before = cache_artifacts.unpacked(earlier.artifacts)
        known = {(kind, found.key): len(found.content) for kind, found in before}
        known |= {(LIBRARIES, name): len(found) for name, found in earlier.libraries.items()}
        functions = {(dynamo_cache.FUNCTIONS, key) for key in self._functions}
        taken |= {found: known[found] for found in functions & known.keys()}
        days = {
            found: today if found in taken else earlier.used.get(found[0], {}).get(found[1], today)
            for found in {**known, **taken}
        }
        sizes = known | taken
        gone = cache_age.outdated(
            (AgedEntry(*found, days[found], sizes[found]) for found in days), today
        )
        if all(earlier.used.get(kind, {}).get(key) == today for kind, key in taken) and not gone:
            return None
        made = cache_artifacts.bundle([one for one in before if (one[0], one[1].key) not in gone])
        if made is None:
            return None
        artifacts, keys = made
        kept: dict[str, bytes] = {
            name: found
            for name, found in earlier.libraries.items()
            if (LIBRARIES, name) not in gone
        }
        kept |= {name: path.read_bytes() for name, path in libraries.items() if name not in kept}
        used: dict[str, dict[str, int]] = {}
        for kind, key in sorted(days.keys() - gone):
            used.setdefault(kind, {})[key] = days[kind, key]
        merged = CacheFile(earlier.torch, artifacts, kept, keys, used, earlier.vectors)
        is_new = [kind != LIBRARIES for kind, _ in taken.keys() - known.keys()]
        return _Saved(cache_file.write(self._path, merged), sum(is_new), len(gone))


class _Saved(NamedTuple):
    """The size of a file that was written, its new entries, and those that were left out."""

    size: int
    new: int
    gone: int


def _in_short(loaded: CacheFile) -> dict[str, list[str]]:
    return {kind: list(keys) for kind, keys in loaded.keys.items()}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process of a job in after the other; without such locks a system goes on."""
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
    dynamo_cache.watch_lookups(start.before_compile, start.took_function)
    return start.before_compile, start.save
