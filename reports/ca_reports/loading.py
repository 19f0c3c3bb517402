"""Paths → Run: the whole way from files to the model."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from ca_reports.build import ProcessBuilder, wanted
from ca_reports.drafts import Stored
from ca_reports.errors import NothingReadable
from ca_reports.model import Run
from ca_reports.read import sources
from ca_reports.read.damage import DamageLog
from ca_reports.read.records import RecordReader
from ca_reports.read.runfile import read_run

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.model import Process

RUNS_FOLDER = "ca-runs"
# A forked child inherits its parent's trace file, so one file may hold several
# processes; a damaged one must not hold a million.
MAX_PROCESSES_PER_FILE = 1_000
_LISTED = 5


def load(paths: Sequence[str | os.PathLike[str]]) -> Run:
    """Read run folders, folders of logs, files and globs, all into one ``Run``.

    Raises ``NothingReadable`` if not one record and not one ``run.json`` was found; all
    other damage is listed in the ``Run``.
    """
    damage = DamageLog()
    found = sources.find(paths, damage)
    recorded = tuple(read_run(folder, damage) for folder in found.runs)
    stored = Stored()
    processes: list[Process] = []
    for path in found.logs:
        for builder in _read(path, damage, stored):
            processes.append(builder.build(len(processes), sources.rank_in_name(path)))
    readable = any(run.command or run.start is not None for run in recorded)
    if not processes and not readable:
        raise NothingReadable(_nothing(paths, damage))
    return Run(
        paths=tuple(sources.shown(path) for path in paths),
        files=tuple(sources.shown(path) for path in found.logs),
        processes=tuple(processes),
        recorded=recorded,
        damage=damage.items(),
    )


def newest_run(folder: Path) -> Path:
    """The newest run in ``folder``'s ``ca-runs``, by the start that its ``run.json`` tells.

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


def _age(run: Path) -> tuple[float, str]:
    """When the run started; for a run without a start, when its folder was written."""
    start = read_run(run, DamageLog()).start
    if start is None:
        try:
            start = run.stat().st_mtime
        except OSError:
            start = 0.0
    return start, run.name


def _read(path: Path, damage: DamageLog, stored: Stored) -> list[ProcessBuilder]:
    """The processes of one file, in the order in which they first wrote to it."""
    file = sources.shown(path)
    builders: dict[int | None, ProcessBuilder] = {}
    reader: RecordReader | None = None
    try:
        with sources.open_log(path) as stream:
            reader = RecordReader(file, stream.read, wanted, damage)
            for record in reader.records():
                builder = builders.get(record.pid)
                if builder is None:
                    if len(builders) >= MAX_PROCESSES_PER_FILE:
                        damage.add(file, record.line, "too_many", "more processes than are kept")
                        continue
                    builder = builders[record.pid] = ProcessBuilder(file, damage, stored)
                builder.add(record)
    except (EOFError, zlib.error) as error:
        damage.add(file, 0, "bad_gzip", f"the compressed file is cut or broken: {error}")
    except OSError as error:
        # gzip's own errors (BadGzipFile) are OSErrors too.
        damage.add(file, 0, "unreadable", error.strerror or str(error))
    if reader is not None and not reader.count:
        _not_a_trace(file, reader, damage)
    return list(builders.values())


def _not_a_trace(file: str, reader: RecordReader, damage: DamageLog) -> None:
    if not reader.bytes:
        damage.add(file, 0, "empty", "the file is empty")
        return
    damage.drop(file)
    detail = "not readable as a trace: no record in it"
    if reader.torch_logs_lines:
        detail += (
            ". It holds TORCH_LOGS text; set TORCH_TRACE=<folder> as well and read that folder"
        )
    elif reader.nuls:
        detail += ". It is a binary file or UTF-16 text"
    damage.add(file, 0, "not_a_trace", detail)


def _nothing(paths: Sequence[str | os.PathLike[str]], damage: DamageLog) -> str:
    found = damage.items()
    if not found:
        names = ", ".join(sources.shown(path) for path in paths) or "no path"
        return f"nothing readable: {names}"
    lines = [f"{entry.file}: {entry.detail}" for entry in found[:_LISTED]]
    if len(found) > _LISTED:
        lines.append(f"and {len(found) - _LISTED} more")
    return "nothing readable:\n" + "\n".join(f"  {line}" for line in lines)
