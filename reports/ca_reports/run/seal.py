"""A mark on a run folder that says: recorded on this machine, by this user, in that folder.

Whoever makes a run folder can write anything into it, but not this mark: it is a keyed hash
with a key that never leaves the user's own files. It names the folder by its inode as well, so
that one which was handed out and comes back changed is not taken for the one recorded.
"""

from __future__ import annotations

import hashlib
import os
from hmac import compare_digest
from pathlib import Path

from ca_reports.logs.regular import read_regular

FILE = "seal"
_KEY_BYTES = 32


def write(folder: Path, *roots: str) -> None:
    """Mark ``folder`` as that of a run of the user's own: its working folder, its script's.

    Where the key or the mark cannot be written, there is none: then a report asks for the
    source's folder.
    """
    try:
        key = _key() or _new_key()
        (folder / FILE).write_text(_mark(key, folder, roots), "ascii")
    except OSError:
        return


def holds(folder: str | os.PathLike[str], *roots: str) -> bool:
    """Return whether ``folder`` is marked as a run of this user, started here with ``roots``."""
    try:
        found = read_regular(Path(folder, FILE), 200)
        key = _key()
        return key is not None and compare_digest(found, _mark(key, Path(folder), roots).encode())
    except OSError:
        return False


def _mark(key: bytes, folder: Path, roots: tuple[str, ...]) -> str:
    status = folder.stat()
    named = "\0".join(roots)
    said = f"{status.st_dev}:{status.st_ino}:{named}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(said, key=key).hexdigest()


def _key_file() -> Path:
    """Beside what other programs keep for the user from one run to the next."""
    state = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return Path(state or Path.home() / ".local" / "state", "ca", "key")
    except RuntimeError as error:  # a user without a home
        raise OSError(str(error)) from error


def _key() -> bytes | None:
    try:
        key = _key_file().read_bytes()
    except OSError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _new_key() -> bytes:
    path = _key_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = os.urandom(_KEY_BYTES)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
    return key
