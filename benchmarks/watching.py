"""``ca watch`` over a log that grows as fast as it is read."""

from __future__ import annotations

import mmap
import os
import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.run.gather.follow import STEP, Follower

if TYPE_CHECKING:
    from collections.abc import Iterator

MEGABYTES = 1_000
MOST_MEMORY = 100 << 20


@dataclass(frozen=True)
class Look:
    """After ``size`` bytes: CPU seconds of the look, ``memory`` after it, and what it got wrong.

    Memory beyond what this process held before the first: it has torch imported, as `ca watch` has
    not.
    """

    size: int
    seconds: float
    memory: int
    is_compared: bool
    differs: tuple[str, ...]


def measure(log: Path, grown: Path, step: int = STEP // 2, compared: int = 8) -> list[Look]:
    """Let ``grown`` grow into ``log``, and look each time that some ``step`` bytes came.

    At ``compared`` moments, evenly, what is shown is compared with what `ca explain-recompiles`
    reads of the file as it is then.
    """
    follower = Follower([str(grown)])
    looks = []
    begin_held = memory(os.getpid())
    with grown.open("wb", buffering=0) as target:
        pieces = list(ends(log, step))
        for number, end in enumerate(pieces, 1):
            grow(log, target.fileno(), end)
            begin = process_time()
            follower.poll()
            seconds, held = process_time() - begin, memory(os.getpid()) - begin_held
            is_compared = number * compared // len(pieces) > (number - 1) * compared // len(pieces)
            differs = _differences(follower, grown) if is_compared else ()
            looks.append(Look(end, seconds, held, is_compared, differs))
    return looks


def ends(log: Path, step: int) -> Iterator[int]:
    """Places about every ``step`` bytes where a record of ``log`` ends: torch writes whole ones."""
    size = log.stat().st_size
    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for end in range(step, size, step):
            yield content.rfind(b"\nV", 0, end) + 1
    yield size


def grow(log: Path, target: int, end: int) -> None:
    """Let the file grow as ``log`` until ``end``; its bytes stay out of this process's memory."""
    with log.open("rb") as source:
        at = os.fstat(target).st_size
        while at < end:
            at += os.sendfile(target, source.fileno(), at, end - at)


def _differences(follower: Follower, log: Path) -> tuple[str, ...]:
    # A look at what has not grown meanwhile takes the last record, too.
    live, read = analyze(follower.poll()), analyze(ca_reports.load([log], jobs=1))
    whole = asdict(read.summary)
    found = [name for name, value in asdict(live.summary).items() if value != whole[name]]
    found += ["findings"] * (live.diagnosis.findings != read.diagnosis.findings)
    return tuple(found)


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Return the resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()
