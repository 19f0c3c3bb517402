"""Errors that end a command, each with its exit code and line on stderr.

Exit codes: 0 fine, 1 a gate failed, 2 usage or nothing readable, 130 interrupted.
`ca run` replaces itself, so its exit code is the script's.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import TYPE_CHECKING

from ca_cli.console import close_broken_pipe, forgive_encoding, tell
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Callable

FINE = 0
GATE_FAILED = 1
USAGE = 2
INTERRUPTED = 130

# A file system, quota or limit of the shell that is exhausted.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What Typer says of a value, before the words of whoever checked it.
_INVALID = expression(
    r"Invalid value for '(?P<option>[^']+)': (?:Value error, )?(?P<why>.+?)\.?", re.S
)


class UsageError(Exception):
    """The command cannot do what it was asked for. The message is one line for the user."""


def guarded(action: Callable[[], int]) -> int:
    """Run `action` and return its exit code, or the one of what it raised.

    The one place where exceptions become exit codes and lines on stderr.
    """
    forgive_encoding()
    try:
        code = action()
        # Here, not at exit, where a closed pipe would end in a message and code 120.
        if sys.stdout is not None:  # it is None under `ca … >&-`
            sys.stdout.flush()
    except BrokenPipeError:
        close_broken_pipe()  # whoever reads has enough, as in `ca … | head`
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("CA_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        tell(explain(error))
        return USAGE
    return code


def explain(error: Exception) -> str:
    """Return the line for `error` that follows ``ca: `` on stderr.

    An exception that nobody foresaw is a bug of ours and says so: the user can do nothing
    about it but tell us.
    """
    message = _foreseen(error)
    if message is not None:
        return " ".join(message.split())
    import traceback

    what = " ".join(traceback.format_exception_only(error)[-1].split())
    return f"this is a bug in ca: {what} (CA_DEBUG=1 shows the traceback to report)"


def _of_option(message: str) -> str:
    """Return Typer's message as ours are: ``--engine: 'x' is not one of 'ca', 'torch'``."""
    found = _INVALID.fullmatch(message)
    return message if found is None else f"{found['option']}: {found['why']}"


def _foreseen(error: Exception) -> str | None:
    if isinstance(error, UsageError):
        return str(error)
    # Typer's own errors: newer Typers have click inside, older ones import it, and the
    # one thing that the classes of both share is this method.
    format_message = getattr(error, "format_message", None)
    if format_message is not None:
        return _of_option(str(format_message()))
    # Only once it was imported can it have raised anything: errors stay fast, too.
    if "ca_reports.errors" in sys.modules:
        from ca_reports.errors import CaError

        if isinstance(error, CaError):
            return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno in _FULL:
        return error.strerror  # writing tells no name
    return None
