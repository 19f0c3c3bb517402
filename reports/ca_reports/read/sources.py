"""What the user named → the files to read."""

from __future__ import annotations

import glob
import gzip
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.read.damage import DamageLog

# A folder named by mistake (a home, a file system's root) must not be walked for hours.
MAX_FILES = 10_000
MAX_ENTRIES = 200_000

_LOG_NAME = re.compile(r"dedicated_log_torch_trace_|\.log(\.\d+)?(\.gz)?$")
_RANK = re.compile(r"(?:^|[_\-.])rank_?(\d{1,6})(?=[_\-.]|$)")


@dataclass(slots=True)
class Sources:
    """``logs``: files to read, in order. ``runs``: run folders among what was named."""

    logs: list[Path] = field(default_factory=list)
    runs: list[Path] = field(default_factory=list)


def find(paths: Sequence[str | os.PathLike[str]], damage: DamageLog) -> Sources:
    """Resolve run folders, other folders, files and globs; each file once.

    What does not exist or may not be opened is noted in ``damage``.
    """
    sources = Sources()
    seen: set[str] = set()
    for given in paths:
        name = os.fspath(given)
        for path in _expand(name, damage):
            try:
                found = _files(path, sources.runs, damage)
            except OSError as error:
                damage.add(shown(path), 0, "unreadable", _why(error))
                continue
            for file in found:
                key = os.path.realpath(file)
                if key not in seen:
                    seen.add(key)
                    sources.logs.append(file)
    return sources


def is_run_folder(path: Path) -> bool:
    """Whether ``path`` is a folder that ``ca run`` wrote."""
    return path.is_dir() and ((path / "run.json").is_file() or (path / "trace").is_dir())


def open_log(path: Path) -> IO[bytes]:
    """Open ``path`` for reading, unpacking gzip by its first bytes whatever its name."""
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


def shown(path: str | os.PathLike[str]) -> str:
    """``path`` as text that any output can encode: a name that is not UTF-8 is replaced."""
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def rank_in_name(path: Path) -> int | None:
    """The rank that torch puts into the name of a trace file, or None."""
    found = _RANK.search(path.name)
    return int(found.group(1)) if found else None


def _expand(name: str, damage: DamageLog) -> list[Path]:
    path = Path(name)
    try:
        if path.exists():
            return [path]
        if glob.has_magic(name):
            # Path.glob takes no absolute pattern.
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207
            if matches:
                return [Path(match) for match in matches]
            damage.add(shown(name), 0, "missing", "nothing matches this pattern")
            return []
    except (OSError, ValueError) as error:
        damage.add(shown(name), 0, "unreadable", _why(error))
        return []
    damage.add(shown(name), 0, "missing", "there is no such file or folder")
    return []


def _files(path: Path, runs: list[Path], damage: DamageLog) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            # Reading a pipe or a device could wait for ever.
            damage.add(shown(path), 0, "unreadable", "neither a file nor a folder")
            return []
        return [path]
    if is_run_folder(path):
        runs.append(path)
        trace = path / "trace"
        # Without a file in it, the process ended before its first record: no damage.
        return _in_folder(trace, damage) if trace.is_dir() else []
    found = _in_folder(path, damage)
    if not found:
        damage.add(shown(path), 0, "empty_folder", "no file in this folder")
    return found


def _in_folder(folder: Path, damage: DamageLog) -> list[Path]:
    """The logs below ``folder``: files named like one, or all files if none is."""
    files: list[Path] = []
    for count, path in enumerate(_walk(folder)):
        if count >= MAX_ENTRIES or len(files) >= MAX_FILES:
            damage.add(
                shown(folder), 0, "too_many_files", f"read only the first {len(files)} files"
            )
            break
        files.append(path)
    files.sort()
    named = [path for path in files if _LOG_NAME.search(path.name)]
    return named or files


def _walk(folder: Path) -> Iterable[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(here, name)
                if path.is_file():
                    yield path


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
