"""``confinement.py BYTES FOLDER PROGRAM …``: PROGRAM may write below FOLDER only.

Linux's Landlock refuses every other write, in this process and in all that it starts, and
cannot be taken back. Kernels before 5.13, and other systems, have none: the program then runs
as it is. A file of its own, without imports of ours, because it becomes the program.

The system calls, their numbers (the same on every architecture) and their structures are those
of the kernel's ``Documentation/userspace-api/landlock.rst``.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_FILE = 1 << 7, 1 << 8
# Devices, sockets, FIFOs and symbolic links: nobody needs them, so no rule allows them.
_MAKE_OTHERS = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12
_REFER = 1 << 13  # to another folder, since version 2
_TRUNCATE = 1 << 14  # since version 3
_TCP = 0b11  # bind and connect, since version 4
_SCOPES = 0b11  # abstract sockets, signals to others, since version 6


def version() -> int:
    """Return the version of Landlock that this kernel has switched on; 0 if it has none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(_CREATE_RULESET, None, 0, _VERSION_FLAG))


def confine(folder: str) -> bool:
    """Refuse this process every write outside ``folder``, and TCP; whether that went.

    Raises OSError if ``folder`` cannot be opened, or if the kernel has Landlock but refuses.
    """
    have = version()
    if not have:
        return False
    allowed = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE
    allowed |= (_REFER if have >= 2 else 0) | (_TRUNCATE if have >= 3 else 0)
    handled = struct.pack("=QQQ", allowed | _MAKE_OTHERS, _TCP, _SCOPES)
    handled = handled[: 24 if have >= 6 else 16 if have >= 4 else 8]
    ruleset = _checked(_CREATE_RULESET, handled, len(handled), 0)
    beneath = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    _checked(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, beneath), 0)
    if ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
    _checked(_RESTRICT_SELF, ruleset, 0)
    os.close(beneath)
    os.close(ruleset)
    return True


def _call(number: int, *arguments: bytes | int | None) -> int:
    plain = (ctypes.c_long(found) if isinstance(found, int) else found for found in arguments)
    result: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *plain)
    return result


def _checked(number: int, *arguments: bytes | int | None) -> int:
    result = _call(number, *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return result


def _limit_files(most: int) -> None:
    """Let no file grow beyond ``most`` bytes, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


if __name__ == "__main__":
    _limit_files(int(sys.argv[1]))
    confine(sys.argv[2])
    os.execv(sys.argv[3], sys.argv[3:])
