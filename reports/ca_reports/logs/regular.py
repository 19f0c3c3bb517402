"""Small files that lie where a stranger may have put anything: a pipe, a device, a link to one.

Whoever opens such a file waits for a writer, or reads for ever; an archive may hold a pipe, and a
repository a link to `/proc/kmsg`.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def read_regular(path: str | os.PathLike[str], most: int, *, pipe: bool = False) -> bytes:
    """Return the first ``most`` bytes of a regular file, which may be behind a link.

    A file without a size is empty: those of the kernel have none, and some wait for ever. With
    ``pipe``, a pipe is read as well, as a user names one by ``<(…)``. Raises OSError.
    """
    if pipe and Path(path).is_fifo():
        with Path(path).open("rb") as file:
            return file.read(most)
    with os.fdopen(os.open(path, _FLAGS | getattr(os, "O_BINARY", 0)), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
        return file.read(most) if status.st_size else b""
