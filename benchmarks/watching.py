"""``ca watch`` over a log that grows as fast as it is read."""

from __future__ import annotations

import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.gather.follow import STEP, Follower

if TYPE_CHECKING:
    from collections.abc import Iterator

MEGABYTES = 1_000
MOST_MEMORY = 300 << 20


@dataclass(frozen=True)
class Look:
    """After ``size`` bytes: CPU seconds of the look, memory after it, and what it got wrong."""

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
    count = -(-log.stat().st_size // step)
    looks = []
    with grown.open("wb", buffering=0) as target:
        for number, piece in enumerate(_pieces(log, step), 1):
            target.write(piece)
            begin = process_time()
            follower.poll()
            seconds, memory = process_time() - begin, _memory()
            is_compared = number * compared // count > (number - 1) * compared // count
            differs = _differences(follower, grown) if is_compared else ()
            looks.append(Look(target.tell(), seconds, memory, is_compared, differs))
    return looks


def _pieces(log: Path, step: int) -> Iterator[bytes]:
    """``log`` in pieces of about ``step`` bytes that end with a record, as torch writes them."""
    left = b""
    with log.open("rb") as source:
        while data := source.read(step):
            data = left + data
            cut = data.rfind(b"\nV") + 1
            yield data[:cut]
            left = data[cut:]
    yield left


def _differences(follower: Follower, log: Path) -> tuple[str, ...]:
    # A look at what has not grown meanwhile takes the last record, too.
    live, read = analyze(follower.poll()), analyze(ca_reports.load([log], jobs=1))
    whole = asdict(read.summary)
    found = [name for name, value in asdict(live.summary).items() if value != whole[name]]
    found += ["findings"] * (live.diagnosis.findings != read.diagnosis.findings)
    return tuple(found)


def _memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
