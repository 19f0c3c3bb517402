"""``ca fix --apply``: patches into the user's files, each kept beside it as it was."""

from __future__ import annotations

import errno
import os
import subprocess
from typing import TYPE_CHECKING

from ca_cli import writing
from ca_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ca_reports.patching.program import EditableProgram

_BACKUPS = 100


def apply(program: EditableProgram, changed: Mapping[str, str]) -> None:
    """Write the files in ``changed`` (name → text), and say where each is kept as it was.

    All are looked at before the first is written. Raises `UsageError` for a file that is not as
    it was read, has changes that are not committed, or cannot be written.
    """
    for name in changed:
        _require_writable(program, name)
    for name, text in changed.items():
        path = program.files[name].path
        backup = _back_up(path)
        writing.replace(path, text.encode())
        writing.say_wrote(path, f" (before: {backup})")


def _require_writable(program: EditableProgram, name: str) -> None:
    file = program.files[name]
    path = file.path
    real = path.resolve()
    if not real.is_relative_to(program.folder.resolve()):
        raise UsageError(f"{name} is outside of {program.folder}: not changed")
    if path.read_bytes() != file.text.encode():
        raise UsageError(f"{name} changed since then: run `ca fix` again")
    if not os.access(real, os.W_OK) or not os.access(real.parent, os.W_OK):
        raise UsageError(f"{name} or its folder cannot be written to: apply the diff elsewhere")
    if _is_dirty(real):
        raise UsageError(f"{name} has changes that are not committed: commit or stash them first")


def _is_dirty(path: Path) -> bool:
    """Return whether git knows the file in another state; without git it is clean."""
    try:
        done = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no", "--", path.name],
            cwd=path.parent,
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0 and bool(done.stdout.strip())


def _back_up(path: Path) -> Path:
    for number in range(1, _BACKUPS + 1):
        backup = path.with_name(path.name + (".orig" if number == 1 else f".orig{number}"))
        try:
            with backup.open("xb") as file:
                file.write(path.read_bytes())
        except FileExistsError:
            continue
        return backup
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(backup))
