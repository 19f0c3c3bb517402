"""Paths → Run: the whole way from files to the model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.errors import NothingReadable
from ca_reports.logs import names, sources
from ca_reports.logs.damage import DamageLog
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.joining import join
from ca_reports.run.gather.pool import read_all
from ca_reports.run.model import Run
from ca_reports.run.roots import own_roots
from ca_reports.run.runfile import read_run, read_source
from ca_reports.run.typed import with_typed_names
from ca_reports.words.numbers import and_more

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.gather.pool import Progress
    from ca_reports.run.model import Recorded

RUNS_FOLDER = "ca-runs"
_LISTED = 5


def load(
    paths: Sequence[str | os.PathLike[str]],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    source_roots: Sequence[str | os.PathLike[str]] = (),
    all_guards: bool = True,
    cache_keys: bool = False,
) -> Run:
    """Read run folders, folders of logs, files, globs, URLs and ``-``, all into one ``Run``.

    Several files, or a large one, are read by ``jobs`` processes (None: one a core where it is
    worth it); several also by the workers of a Dask ``scheduler`` (``tcp://host:8786``). Source
    that the logs name is what the run has kept of it, else read below ``source_roots`` and where a
    run of this user was recorded; nowhere else. Without ``all_guards`` those of captured graphs are
    left out: they are long, and no finding comes from them. With ``cache_keys`` the run has what
    the keys of torch's caches were made of. Raises ``NothingReadable`` if not one record and not
    one ``run.json`` was found; all other damage is listed in the ``Run``.
    """
    beside, damage = DamageLog(), DamageLog()
    found = sources.find(paths, damage)
    recorded = tuple(read_run(folder, beside) for folder in found.runs)
    source = read_source(found.runs, beside)
    bounds = Bounds.of_one_among(len(found.logs), all_guards=all_guards, cache_keys=cache_keys)
    results = read_all(found.logs, bounds, jobs=jobs, scheduler=scheduler, progress=progress)
    for result in results:
        damage.extend(result.damage)
    joined = join([process for result in results for process in result.processes], damage)
    unread = sum(one.count for one in damage.items() if one.hides_events)
    damage.extend(beside.items())
    readable = any(run.command or run.start is not None for run in recorded)
    if not joined.processes and not readable:
        raise NothingReadable(_nothing(paths, damage))
    every, source = with_typed_names((*joined.processes, *joined.helpers), source)
    if recorded and all(run.end is not None for run in recorded):
        # The program is over, though the process that ran it may still be writing this.
        every = tuple(replace(one, is_running=False) for one in every)
    return Run(
        paths=tuple(names.shown(path) for path in paths),
        files=tuple(result.file for result in results),
        processes=every[: len(joined.processes)],
        recorded=recorded,
        damage=damage.items(),
        unread=unread,
        helpers=every[len(joined.processes) :],
        source_roots=(
            *(os.fspath(root) for root in source_roots),
            *own_roots(found.runs, recorded, found.logs),
        ),
        source=source,
    )


def newest_run(folder: Path) -> Path:
    """Return the newest run in ``folder``'s ``ca-runs``, by the start that its ``run.json`` tells.

    Raises ``NothingReadable`` if there is none.
    """
    runs = folder / RUNS_FOLDER
    try:
        found = [path for path in runs.iterdir() if sources.is_run_folder(path)]
    except OSError:
        found = []
    if not found:
        raise NothingReadable(
            f"no run in {RUNS_FOLDER}: record one with `ca run train.py`, or name a log"
        )
    return max(found, key=_age)


def earlier_run(run: str | os.PathLike[str]) -> Path | None:
    """Return the run before ``run`` of the same command, in the folder that it lies in; else None.

    The same script with the same arguments, whatever `ca` was told. One that still ran when
    ``run`` began had not filled its caches.
    """
    path = Path(run)
    if not sources.is_run_folder(path):
        return None
    own = read_run(path, DamageLog())
    found = []
    try:
        beside = [one for one in path.absolute().parent.iterdir() if sources.is_run_folder(one)]
    except OSError:
        return None
    for one in beside:
        other = read_run(one, DamageLog())
        if other.start is None or own.start is None or one.samefile(path):
            continue
        # A run that was killed has no end.
        ended = max(other.start, other.end or 0.0)
        if _what_ran(other) == _what_ran(own) and other.start < own.start and ended <= own.start:
            found.append((other.start, one.name))
    if not found:
        return None
    return path.parent / max(found)[1]


def _what_ran(run: Recorded) -> tuple[str, ...]:
    """Return the script and its arguments: ``ca run`` and its options come before them."""
    script = run.script or ""
    # A module is two words of the command.
    words = tuple(script.split(" ", 1)) if script.startswith("-m ") else (script,)
    for at in range(len(run.command)):
        if run.command[at : at + len(words)] == words:
            return run.command[at:]
    return words


def _age(run: Path) -> tuple[float, str]:
    """Return when the run started; for a run without a start, when its folder was written."""
    start = read_run(run, DamageLog()).start
    if start is None:
        try:
            start = run.stat().st_mtime
        except OSError:
            start = 0.0
    return start, run.name


def _nothing(paths: Sequence[str | os.PathLike[str]], damage: DamageLog) -> str:
    found = damage.items()
    if not found:
        names = ", ".join(names.shown(path) for path in paths) or "no path"
        return f"nothing readable: {names}"
    lines = [f"{entry.file}: {entry.detail}" for entry in found[:_LISTED]]
    if len(found) > _LISTED:
        lines.append(and_more(len(found) - _LISTED))
    return "nothing readable:\n" + "\n".join(f"  {line}" for line in lines)
