"""Compiled templates, kept beside their sources as Python keeps its modules'.

Compiling the report's templates takes longer than filling them, and every run ends with it.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class TemplateCache(jinja2.BytecodeCache):
    """Keeps the code of templates in ``folder``; where nothing can be written, none is kept.

    What is kept names its Python, its Jinja and its source's checksum; any other is compiled
    anew. As with modules, ``PYTHONDONTWRITEBYTECODE`` keeps it from writing.
    """

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, which is made when the first template is kept."""
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what is kept; anything damaged is as if it were not there."""
        try:
            with self._path(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except (OSError, EOFError, ValueError, TypeError, pickle.UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, whole or not at all: another process may read it at the same time."""
        if sys.dont_write_bytecode:
            return
        path = self._path(bucket)
        written = path.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(exist_ok=True)
            with written.open("wb") as file:
                bucket.write_bytecode(file)
            written.replace(path)
        except OSError:
            pass  # a read-only installation, a full disk: compiled each time

    def _path(self, bucket: Bucket) -> Path:
        # Jinja's key is a hash of the template's name and file. The code of one source also
        # depends on these: without them, what an older version of ours kept would be used.
        made_by = bucket.environment
        choices = (made_by.finalize, made_by.autoescape, made_by.trim_blocks, made_by.lstrip_blocks)
        chosen = "".join("1" if choice else "0" for choice in choices)
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}-{chosen}.jinja"
