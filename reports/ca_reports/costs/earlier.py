"""A run's use of caches beside that of the run before it of the same command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.costs.caches.starts import examine
from ca_reports.errors import NothingReadable
from ca_reports.run import loading

if TYPE_CHECKING:
    from ca_reports.costs.caches.starts import Start
    from ca_reports.program.files import SourceFiles
    from ca_reports.run.model import Run

# Traces of the earlier run up to this size are read without being asked to: about 2 s.
_QUICKLY_READ = 32_000_000


def start_of(run: Run, files: SourceFiles) -> Start:
    """Return the start of ``run``, compared with the run before it if it missed anything.

    Compared with nothing where there is none, where that can't be read, or would take long.
    """
    start = examine(run, [], files)
    missed = any(state == "miss" for _, state in start.lookups)
    if not missed or len(run.paths) != 1:
        return start
    try:
        earlier = loading.earlier_run(run.paths[0])
        if earlier is None or _size(earlier) > _QUICKLY_READ:
            return start
        before = loading.load([earlier], all_guards=False, cache_keys=True)
    except (OSError, NothingReadable):
        return start
    return examine(run, [before], files)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
