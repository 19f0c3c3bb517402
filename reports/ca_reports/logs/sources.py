"""Finds the files to read behind what the user named."""

from __future__ import annotations

import glob
import os
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.errors import NothingReadable
from ca_reports.logs import remote
from ca_reports.logs.names import MAX_ENTRIES, MAX_FILES, is_log_name, shown
from ca_reports.logs.opening import STDIN, is_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.logs.damage import DamageLog

_NEITHER = "neither a file nor a folder"
_LEADS_OUT = "a link that leads out of the folder is not followed: name it to read it"


@dataclass(slots=True)
class Sources:
    """``logs``: what to read, in order: paths, URLs, or ``-``. ``runs``: run folders (or URLs)."""

    logs: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)


def find(paths: Sequence[str | os.PathLike[str]], damage: DamageLog) -> Sources:
    """Resolve run folders, other folders, files, globs, URLs and ``-``; each file once.

    What does not exist or may not be opened is noted in ``damage``. Raises
    ``NothingReadable`` for a folder of run folders: which one is meant is not ours to guess.
    """
    sources = Sources()
    seen: set[str] = set()
    for given in paths:
        name = os.fspath(given)
        for key, file in _find(name, sources.runs, damage):
            if key not in seen:
                seen.add(key)
                sources.logs.append(file)
    return sources


def _find(name: str, runs: list[str], damage: DamageLog) -> Iterable[tuple[str, str]]:
    """Yield the files behind one name, each with what tells whether it was there before."""
    if name == STDIN:
        yield STDIN, STDIN
        return
    if is_url(name):
        for url in remote.find(name, runs, damage):
            yield url, url
        return
    for path in _expand(name, damage):
        try:
            found = _files(path, runs, damage)
        except OSError as error:
            damage.add(shown(path), 0, "unreadable", _why(error))
            continue
        for file in found:
            yield os.path.realpath(file), os.fspath(file)


def is_run_folder(path: Path) -> bool:
    """Return whether ``path`` is a folder that ``ca run`` wrote."""
    return path.is_dir() and ((path / "run.json").is_file() or (path / "trace").is_dir())


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


def _files(path: Path, runs: list[str], damage: DamageLog) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            # Reading a pipe or a device could wait for ever.
            detail = "a pipe: give what it holds on stdin, as `-`" if path.is_fifo() else _NEITHER
            damage.add(shown(path), 0, "unreadable", detail)
            return []
        return [path]
    if is_run_folder(path):
        runs.append(os.fspath(path))
        trace = path / "trace"
        if _leads_out(trace, path):
            damage.add(shown(trace), 0, "link", _LEADS_OUT)
            return []
        # Without a file in it, the process ended before its first record: no damage.
        return _in_folder(trace, damage) if trace.is_dir() else []
    only = _only_run(path)
    if only is not None:
        return _files(only, runs, damage)
    found = _in_folder(path, damage)
    if not found:
        damage.add(shown(path), 0, "empty_folder", "no file in this folder")
    return found


def _only_run(folder: Path) -> Path | None:
    """Return the run of a folder of runs; None if it is none. Raises where it holds several."""
    runs = [entry for entry in _entries(folder) if (entry / "run.json").is_file()]
    if len(runs) == 1 and not runs[0].is_symlink():
        return runs[0]
    if runs:
        newest = max(runs, key=lambda run: (run.stat().st_mtime, run.name))
        noun = "run" if len(runs) == 1 else "runs"
        raise NothingReadable(
            f"{shown(folder)} holds {len(runs)} {noun}: name one, such as {shown(newest)}, "
            f"or all of them as {shown(folder)}{os.sep}*"
        )
    return None


def _entries(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return [folder / entry.name for entry, _ in zip(entries, range(MAX_FILES), strict=False)]


def _in_folder(folder: Path, damage: DamageLog) -> list[Path]:
    """Return the logs below ``folder``: files named like one, or all files if none is."""
    files: list[Path] = []
    for count, path in enumerate(_walk(folder)):
        if count >= MAX_ENTRIES or len(files) >= MAX_FILES:
            damage.add(
                shown(folder), 0, "too_many_files", f"read only the first {len(files)} files"
            )
            break
        if _leads_out(path, folder):
            damage.add(shown(path), 0, "link", _LEADS_OUT)
            continue
        files.append(path)
    files.sort()
    return [path for path in files if is_log_name(path.name)] or files


def _leads_out(path: Path, folder: Path) -> bool:
    """Return whether ``path``, which lies in ``folder``, is a link to what lies elsewhere.

    Whoever made the folder must not say which other files of this machine are shown.
    """
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


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
