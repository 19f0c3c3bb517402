"""The folders below which files may be read without asking: those of runs of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.logs.opening import is_url
from ca_reports.run import seal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Recorded


def own_roots(
    runs: Sequence[str], recorded: Sequence[Recorded], logs: Sequence[str]
) -> tuple[str, ...]:
    """Return the folders of ``runs`` and of their scripts, if all are this user's own.

    That is, all were recorded here and by this user.

    ``recorded`` are their run.json. None if one of ``logs`` lies elsewhere: what it names would
    be looked for there as well.
    """
    roots: list[str] = []
    folders: list[Path] = []
    for folder, described in zip(runs, recorded, strict=True):
        own = [root for root in (described.cwd, described.script_folder) if root is not None]
        if is_url(folder) or described.cwd is None or not seal.holds(folder, *own):
            return ()
        roots += own
        folders.append(Path(folder).resolve())
    for log in logs:
        if not any(map(Path(log).resolve().is_relative_to, folders)):
            return ()
    return tuple(dict.fromkeys(roots))
