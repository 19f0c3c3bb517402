"""Logs behind URLs (``s3://``, ``gs://``, ``https://``, ``memory://`` …), through fsspec."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ca_reports.logs.names import MAX_FILES, is_log_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.logs.damage import DamageLog

# "Folders" there are pages with links.
_PAGES = ("http://", "https://")


def find(url: str, runs: list[str], damage: DamageLog) -> Iterator[str]:
    """Yield the log URLs behind ``url``: a file, a glob, a folder or a run folder.

    Never raises: what the file system behind it raises goes into ``damage``.
    """
    try:
        # A list: what a file system raises while listing must not come out of the loop.
        yield from list(_find(url, runs, damage))
    except Exception as error:
        damage.add(shown(url), 0, "unreadable", why(error))


def read_bytes(url: str, size: int) -> bytes:
    """Return the first ``size`` bytes. Raises whatever the file system does."""
    import fsspec

    with fsspec.open(url, "rb") as stream:
        data: bytes = stream.read(size)
        return data


def join(url: str, name: str) -> str:
    """Return ``name`` in the folder ``url``."""
    return f"{url.rstrip('/')}/{name}"


def why(error: Exception) -> str:
    """Return one line for what a file system raised; a missing package is named by its extra."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, ImportError):
        return f"{text} (the file systems of fsspec are packages of their own)"
    if isinstance(error, FileNotFoundError):
        # fsspec calls everything that goes wrong over HTTP a missing file.
        cause = error.__cause__
        return "there is no such file or folder" if cause is None else _why_not(cause)
    return text[:500]


def _why_not(cause: BaseException) -> str:
    """Return one line for why a server gave nothing."""
    text = " ".join(str(cause).split())
    return (text if len(text) > 3 else f"{type(cause).__name__} {text}".rstrip())[:500]


def _find(url: str, runs: list[str], damage: DamageLog) -> Iterator[str]:
    from fsspec.core import url_to_fs

    if "::" in url:  # a file within a file: nothing to list
        yield url
        return
    system, path = url_to_fs(url)
    if url.startswith(_PAGES):
        urls = _behind_page(system, url, runs)
        if not urls:
            damage.add(shown(url), 0, "missing", "nothing matches this pattern")
        yield from urls
        return
    if any(letter in path for letter in "*?["):
        matches = sorted(system.glob(path))
        if not matches:
            damage.add(shown(url), 0, "missing", "nothing matches this pattern")
        for match in matches[:MAX_FILES]:
            yield from _below(system, str(match), runs, damage)
        return
    yield from _below(system, path, runs, damage)


def _behind_page(system: Any, url: str, runs: list[str]) -> list[str]:
    """Return the logs that a page links to, or the URL itself if it is none.

    A folder is named with a slash at its end (or a glob); only links to what lies directly
    in it are followed, and those of ``trace/`` if it is a run folder.
    """
    pattern = None
    if "*" in url.rpartition("/")[2] and "?" not in url:
        url, _, pattern = url.rpartition("/")
        url += "/"
    if not url.endswith("/"):
        return [url]
    names = _links(system, url)
    if pattern is not None:
        return [name for name in names if fnmatchcase(name.rpartition("/")[2], pattern)]
    if f"{url}run.json" in names:
        runs.append(url)
        names = _links(system, f"{url}trace/")
    return [name for name in names if is_log_name(name.rpartition("/")[2])] or [url]


def _links(system: Any, folder: str) -> list[str]:
    names = sorted({str(name) for name in system.ls(folder, detail=False)})
    inside = [name for name in names if name.startswith(folder) and len(name) > len(folder)]
    return [name for name in inside if "/" not in name[len(folder) :].rstrip("/")][:MAX_FILES]


def _below(system: Any, path: str, runs: list[str], damage: DamageLog) -> Iterator[str]:
    url = str(system.unstrip_protocol(path))
    if not system.isdir(path):
        yield url  # opening it says what is wrong with it
        return
    folder = path.rstrip("/")
    if system.exists(f"{folder}/run.json"):
        runs.append(url)
        if not system.isdir(f"{folder}/trace"):
            return
        folder = f"{folder}/trace"
    names = sorted(str(name) for name in system.find(folder))
    logs = [name for name in names if is_log_name(name.rpartition("/")[2])] or names
    if not logs:
        damage.add(shown(url), 0, "empty_folder", "no file in this folder")
    if len(logs) > MAX_FILES:
        damage.add(shown(url), 0, "too_many_files", f"read only the first {MAX_FILES} files")
    for name in logs[:MAX_FILES]:
        yield str(system.unstrip_protocol(name))
