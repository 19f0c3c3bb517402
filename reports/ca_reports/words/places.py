"""Files that a log names, as paths below the repository: what CI, SARIF and baselines want.

A log names files as they were called where the job ran. Annotations and baselines need them
relative to the root of the repository, and the same on every machine.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

from ca_engine.lazy_expressions import expression

# What the text after ``-c`` is called, which Python calls ``<string>``.
COMMAND = "-c"
_CELL = expression(r"In\[\d{1,9}\]")
_DRIVE = expression(r"[A-Za-z]:/")


class Places:
    """Paths relative to ``root``, for a run that was started in the folder ``cwd``.

    A file below ``root`` is taken as it is. One below ``cwd``, of a run on another machine,
    is looked for below ``root`` by the end of its path, as ``src/train.py`` for
    ``/home/ci/job/src/train.py``; where it is not there, it is named relative to ``cwd``.
    """

    def __init__(self, root: Path, cwd: str | None = None) -> None:
        """``root`` need not be absolute; ``cwd`` is as the log has it."""
        self.root = root.resolve()
        self._roots = tuple(
            dict.fromkeys(_normal(str(folder)) for folder in (root.absolute(), self.root))
        )
        self._cwd = _normal(cwd) if cwd else None
        self._known: dict[str, str] = {}

    def relative(self, file: str) -> str:
        """Return ``src/train.py``; of what lies elsewhere an absolute path with forward slashes."""
        found = self._known.get(file)
        if found is None:
            found = self._known[file] = self._relative(file)
        return found

    def in_repository(self, file: str) -> str | None:
        """As ``relative``, None for what lies elsewhere or names no file (``<stdin>``)."""
        found = self.relative(file)
        is_none = is_absolute(found) or found.startswith(("<", "..")) or is_typed(found)
        return None if is_none else found

    def _relative(self, file: str) -> str:
        path = _normal(file)
        if file.startswith("<") or is_typed(file):
            return file
        if not is_absolute(path):
            if self._cwd is None:
                return path
            path = _normal(f"{self._cwd}/{path}")
        for root in self._roots:
            below = _below(path, root)
            if below is not None:
                return below
        below = _below(path, self._cwd) if self._cwd else None
        return path if below is None else self._of_another_machine(path, below)

    def _of_another_machine(self, path: str, below_cwd: str) -> str:
        parts = path.split("/")
        shortest = below_cwd.count("/") + 1
        for length in range(len(parts) - 1, shortest, -1):
            candidate = "/".join(parts[-length:])
            if self._exists(candidate):
                return candidate
        return below_cwd

    def _exists(self, candidate: str) -> bool:
        try:
            return (self.root / candidate).is_file()
        except (OSError, ValueError):  # ValueError: a NUL in the name
            return False


def is_cell(name: str) -> bool:
    """Return whether ``name`` is that of a notebook's cell: ``In[3]``."""
    return _CELL.fullmatch(name) is not None


def is_typed(name: str) -> bool:
    """Return whether ``name`` is of a program that is in no file: a cell, ``-c``, stdin."""
    return name in (COMMAND, "<stdin>") or is_cell(name)


def repository_root(folder: Path) -> Path:
    """Return the folder of the repository that ``folder`` is in; ``folder`` where there is none."""
    for parent in (folder, *folder.parents):
        if (parent / ".git").exists():
            return parent
    return folder


def is_absolute(path: str) -> bool:
    """Return whether ``path`` starts at a root or a drive, on whatever system it was written."""
    return path.startswith("/") or bool(_DRIVE.match(path))


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))


def _below(path: str, folder: str) -> str | None:
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) and len(path) > len(start) else None
