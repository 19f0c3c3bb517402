"""The one way a file is written: nothing that a user has is lost or turned into another thing.

``-`` is stdout. A device, pipe or socket is opened and written to; a link is followed; a regular
file is replaced in one step, keeping its permissions, and only if it is empty or `ca` wrote it.

`ca` knows its own files by how they begin: the generator that HTML, JSON, SVG, DOT and
Perfetto traces name, the tool of SARIF and JUnit, and in the texts for people (`signed`) a
first line. CSV and Parquet have no room for either, so those are replaced by ``--force`` only.
A baseline is none of these: `ca baseline --update` alone replaces it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from ca_cli.console import say
from ca_cli.errors import UsageError
from ca_engine.lazy_expressions import expression
from ca_engine.version import __version__

_SIGNATURE = f"Written by ca {__version__}"
_BEGINNING = 4096
_OURS = expression(
    rb"^(?:"
    rb"(?:# |<!-- )Written by ca \d"
    rb"|digraph [^\n]*// ca graph\n"
    rb'|<svg data-generator="ca graph"'
    rb'|\{"otherData":\{"generator":"ca\b'
    rb'|\{\s*"(?:schema|format)_version": \d+,\s*"generator": "ca(?: graph)?"'
    rb"|<\?xml [^>]*>\s*<testsuites name=\"ca\""
    rb'|\{[^{}]*"runs": \[\s*\{\s*"tool": \{\s*"driver": \{\s*"name": "ca"'
    rb"|(?:\s*<!doctype html>.*?)?<meta\s+name=[\"']generator[\"']\s+content=[\"']ca\b"
    rb")",
    re.DOTALL | re.IGNORECASE,
)
# The folder cannot be written to, or the file is mounted where it is; the file itself may do.
_NOT_REPLACEABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
_STDOUT = Path("-")
_AS_IT_IS = os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
# A pipe's reader may start beside us; one that never comes must not keep a job waiting.
_WAITS_FOR_READER = 10.0  # seconds
_LOOKS_EVERY = 0.02


def refuse(path: Path, *, force: bool = False) -> None:
    """Raise `UsageError` if `write` would not write to `path`; ask before minutes of reading."""
    if path == _STDOUT:
        return
    try:
        found = path.stat()
    except FileNotFoundError:
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise UsageError(
                f"{folder_shown(path)} is not a folder: -o must name a file in an existing one"
            ) from None
        return
    if stat.S_ISDIR(found.st_mode):
        raise UsageError(f"{path} is a folder: -o must name a file")
    if force or not stat.S_ISREG(found.st_mode) or not found.st_size or _own_stream(path):
        return
    if not is_ours(path):
        raise UsageError(f"{path} was not written by ca: --force overwrites it")


def write(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write `content` to `path`. Raises what `refuse` does, and OSError."""
    refuse(path, force=force)
    data = as_bytes(content)
    try:
        stream = _own_stream(path)
        if stream is not None:
            with open(stream, "wb", closefd=False) as file:
                file.write(data)
        elif path.is_fifo():
            with open(_special(path, _with_reader(path)), "wb") as file:
                file.write(data)
        elif path.exists() and not path.is_file():
            # Neither made nor cut off, should it have become a file by now.
            with open(_special(path, os.open(path, _AS_IT_IS)), "wb") as file:
                file.write(data)
        else:
            # Asked again: a link may lead elsewhere by now, and from here on none is followed.
            target = Path(os.path.realpath(path))
            refuse(target, force=force)
            _replace(target, data, path)
    except OSError as error:
        # Of a full disk Python tells no name; of a file that cannot be made that of the temporary.
        if isinstance(error, BrokenPipeError) or error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


def replace(path: Path, content: str | bytes) -> None:
    """Write a regular file so that a reader finds the old one or the new one, never a part.

    Whose file it was is not asked. Its permissions stay, and its owner where that is allowed.
    """
    _replace(Path(os.path.realpath(path)), as_bytes(content), path)


def _replace(target: Path, data: bytes, path: Path) -> None:
    """Replace `target`, which is no link; messages name `path`."""
    try:
        before = target.lstat()
    except FileNotFoundError:
        before = None
    if before is not None and stat.S_ISLNK(before.st_mode):
        raise UsageError(f"{path} was turned into a link while ca wrote it")
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    try:
        try:
            descriptor, name = tempfile.mkstemp(prefix=".ca-", dir=target.parent)
        except FileNotFoundError:
            if not target.parent.is_dir():
                raise
            # As in /proc, whose files are no files.
            raise UsageError(f"{path} cannot be written: no file can be made beside it") from None
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            # mkstemp makes files that only their owner may read; these are ordinary ones.
            temporary.chmod(0o666 & ~_umask() if before is None else stat.S_IMODE(before.st_mode))
            if before is not None:
                _keep_owner(temporary, before)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        if before is None or error.errno not in _NOT_REPLACEABLE:
            raise
        with open(target, "wb", opener=_without_links) as file:
            file.write(data)


def is_ours(path: Path) -> bool:
    """Return whether the file at `path` begins as one that `write` may replace."""
    with path.open("rb") as file:
        return _OURS.match(file.read(_BEGINNING)) is not None


def signed(text: str, opening: str = "# ", closing: str = "") -> str:
    """Put the line before `text` by which `is_ours` knows it, as a comment of its format."""
    return f"{opening}{_SIGNATURE}{closing}\n{text}"


def as_bytes(content: str | bytes) -> bytes:
    """Return UTF-8, whatever was in `content`.

    Arguments and paths may hold bytes that are no UTF-8; readers of JSON refuse those.
    """
    if isinstance(content, bytes):
        return content
    return content.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode("utf-8")


def say_wrote(path: Path, more: str = "") -> None:
    """Say on stderr that `path` was written; of stdout everybody sees it."""
    if path != _STDOUT:
        say(f"wrote {path}{more}", sys.stderr)


def is_stdout(path: Path) -> bool:
    """Return whether `path` is our own stdout, as ``-`` and /dev/stdout are."""
    return path == _STDOUT or (sys.stdout is not None and _is_of(sys.stdout, path))


def folder_shown(path: Path) -> Path:
    """Return the folder that `path` needs: where it is a link, the one that it leads to."""
    return Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent


def _own_stream(path: Path) -> int | None:
    """Return our own stdout or stderr if `path` is the same file, as /dev/stdout is.

    Opened a second time, a file that it was redirected to would be cut off at its beginning.
    """
    if path == _STDOUT and sys.stdout is None:  # under `ca … >&-`
        raise UsageError("-o - is stdout, which is closed")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and (path == _STDOUT or _is_of(stream, path)):
            stream.flush()
            return stream.fileno()
    return None


def _is_of(stream: TextIO, path: Path) -> bool:
    # Closed, or with no descriptor behind it, it is no file's.
    with suppress(OSError, ValueError):
        return os.path.samestat(path.stat(), os.fstat(stream.fileno()))
    return False


def _with_reader(path: Path) -> int:
    """Open the pipe `path`, once somebody reads it. Raises `UsageError` if nobody does."""
    last = time.monotonic() + _WAITS_FOR_READER
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        else:
            os.set_blocking(descriptor, True)
            return descriptor
        if time.monotonic() > last:
            raise UsageError(f"{path} is a pipe that nobody reads: start its reader first")
        time.sleep(_LOOKS_EVERY)


def _special(path: Path, descriptor: int) -> int:
    """Return the open `descriptor` of `path`, unless it is that of a regular file."""
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} was turned into a file while ca wrote it")
    return descriptor


def _keep_owner(path: Path, before: os.stat_result) -> None:
    """Give `path` the earlier file's owner, or at least its group, where we may."""
    made = path.stat()
    if (made.st_uid, made.st_gid) == (before.st_uid, before.st_gid):
        return
    for owner in ((before.st_uid, before.st_gid), (-1, before.st_gid)):
        try:
            os.chown(path, *owner)
        except PermissionError:
            continue
        # The kernel takes set-user-id bits away where the owner changes.
        path.chmod(stat.S_IMODE(before.st_mode))
        return


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))  # Windows has none


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    umask = os.umask(0)
    os.umask(umask)
    return umask
