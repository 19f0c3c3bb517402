"""Compiled templates, kept for the next run in a folder of the user's.

Compiling the report's templates takes longer than filling them, and every run ends with it.
What is kept is code: it is only read where nobody else can have put it.
"""

from __future__ import annotations

import os
import pickle
import stat
import sys
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

import jinja2

from ca_engine.version import __version__

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class TemplateCache(jinja2.FileSystemBytecodeCache):
    """The templates of one environment, whose options, functions and version belong to the key.

    Where ``folder`` can't be written, or others could write there, templates are compiled each
    time. As with modules, ``PYTHONDONTWRITEBYTECODE`` keeps it from writing.
    """

    def __init__(self, environment: jinja2.Environment, folder: Path | None = None) -> None:
        """Use ``folder``, by default one in the user's cache; made if it is absent."""
        self._made_of = _made_of(environment)
        self._private = False
        with suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
            folder = (folder or _user_folder()).resolve()
            self._private = _is_private(folder)
        super().__init__(str(folder), f"%s.{sys.implementation.cache_tag}.jinja")

    def get_source_checksum(self, source: str) -> str:
        """Of the source and of what it is compiled with: one file a template, never a stale one."""
        return super().get_source_checksum(f"{self._made_of}\n{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what is kept; anything damaged is as if it were not there."""
        if self._private:
            try:
                super().load_bytecode(bucket)
            except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
                bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, whole or not at all."""
        if self._private and not sys.dont_write_bytecode:
            with suppress(OSError):  # a full disk: compiled each time
                super().dump_bytecode(bucket)


def _user_folder() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(caches or Path.home() / ".cache", "ca", "templates")


def _is_private(folder: Path) -> bool:
    """Return whether only this user can write ``folder`` or put another in its place; makes it.

    That holds where it is the user's and closed to others, and each folder above it is the
    user's or root's and closed to others too, or sticky, as ``/tmp`` is.
    """
    if not hasattr(os, "getuid"):  # Windows: a user's folders are closed to others
        folder.mkdir(parents=True, exist_ok=True)
        return True
    user = os.getuid()
    for found in reversed((folder, *folder.parents)):
        if not found.exists():
            if sys.dont_write_bytecode:
                return False
            found.mkdir(mode=0o700, exist_ok=True)
        status = found.stat()
        owners, may_be_sticky = ((user,), 0) if found == folder else ((user, 0), stat.S_ISVTX)
        if status.st_uid not in owners or (
            status.st_mode & 0o022 and not status.st_mode & may_be_sticky
        ):
            return False
    return True


def _made_of(environment: jinja2.Environment) -> str:
    """Return all that the code of a template depends on beside its source.

    Jinja runs ``finalize`` and filters on constants when it compiles, so what they do belongs
    to it, not only whether they are there.
    """
    options = {
        name: found for name, found in vars(environment).items() if isinstance(found, str | bool)
    }
    functions = {
        "finalize": environment.finalize,
        "autoescape": environment.autoescape,
        "undefined": environment.undefined,
        **environment.filters,
    }
    return repr(
        (
            __version__,
            jinja2.__version__,
            options,
            sorted(environment.extensions),
            [(name, _identity(found)) for name, found in functions.items()],
        )
    )


def _identity(function: object) -> object:
    code = getattr(function, "__code__", None)
    # What Jinja has of its own is as its version says.
    if code is None or function.__module__.partition(".")[0] == "jinja2":
        return getattr(function, "__qualname__", type(function).__qualname__)
    constants = [
        sorted(map(repr, found)) if isinstance(found, frozenset) else repr(found)
        for found in code.co_consts
        if not isinstance(found, CodeType)
    ]
    return function.__module__, code.co_name, code.co_code, code.co_names, constants
