"""Patches in the layout that `ruff format` gives the file, where it has that layout already."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.patching.patches import Patch, Replacement, applied, changed_lines

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram, SourceFile

# No formatter breaks lines that are shorter.
_SHORT = 79
_SECONDS = 10


def kept(patch: Patch, program: EditableProgram) -> Patch:
    """Return ``patch`` with its long lines broken as ruff breaks them; unchanged without ruff."""
    if not program.is_here:
        return patch
    texts = {name: program.files[name].text for name in patch.files}
    found: list[Replacement] = []
    for name, text in applied(texts, [patch]).items():
        file = program.files[name]
        own = [one for one in patch.replacements if one.file == name]
        formatted = _formatted_alike(file, text)
        found += own if formatted is None else changed_lines(name, file.text, formatted)
    return replace(patch, replacements=tuple(found))


def _formatted_alike(file: SourceFile, text: str) -> str | None:
    """Lay ``text`` out as ruff does; None if that changes nothing, or the file isn't ruff's."""
    before = set(file.text.splitlines())
    added = [line for line in text.splitlines() if line not in before]
    if not any(len(line) > _SHORT or _is_part_of_more(line) for line in added):
        return None
    ruff = _ruff()
    if ruff is None or _formatted(ruff, file.path, file.text) != file.text:
        return None
    formatted = _formatted(ruff, file.path, text)
    return None if formatted == text else formatted


def _is_part_of_more(line: str) -> bool:
    """Return whether brackets are opened or closed here that are not on this line."""
    return any(line.count(one) != line.count(other) for one, other in ("()", "[]", "{}"))


def _ruff() -> str | None:
    """Return the ruff of this environment, else the one on the path."""
    beside = shutil.which("ruff", path=str(Path(sys.executable).parent))
    return beside or shutil.which("ruff")


def _formatted(ruff: str, path: Path, text: str) -> str | None:
    """Return ``text`` with the settings that hold for ``path``; None where ruff fails."""
    try:
        done = subprocess.run(
            [ruff, "format", "--no-cache", "--stdin-filename", str(path), "-"],
            input=text.encode(),
            capture_output=True,
            cwd=path.parent,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
