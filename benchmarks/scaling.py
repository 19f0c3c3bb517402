"""What one rank of 1,024 costs: reading its log, and putting its result together with others'."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING

from benchmarks import logs
from ca_reports.costs.ranks import compare_ranks
from ca_reports.facts.costs import Costs
from ca_reports.logs.damage import DamageLog
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.collector import gc_paused
from ca_reports.run.gather.filereading import read_file
from ca_reports.run.gather.joining import join
from ca_reports.run.model import Run

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 1024
# So many results are merged; the cost of a rank is the same among more.
MERGED = 64


@dataclass(frozen=True)
class Rank:
    """One rank: CPU seconds by step, the bytes of its pickled result, what is in it."""

    read: float
    unpickle: float
    join: float
    compare: float
    result: int
    captures: int
    compiles: int

    @property
    def merge(self) -> float:
        """CPU seconds that the one process which merges spends on it."""
        return self.unpickle + self.join + self.compare


def measure(folder: Path, megabytes: int = 200) -> Rank:
    """Read a log of so many megabytes as one of 1,024, and merge its result with 63 alike."""
    log = logs.write_log(logs.record_once(folder), folder / "rank.log", megabytes)
    begin = process_time()
    result = read_file(str(log), Bounds.of_one_among(RANKS))
    read = process_time() - begin
    (process,) = result.processes
    packed = [
        pickle.dumps(
            replace(result, processes=(replace(process, rank=rank, pid=(process.pid or 0) + rank),))
        )
        for rank in range(MERGED)
    ]
    begin = process_time()
    with gc_paused():
        results = [pickle.loads(found) for found in packed]
    unpickled = process_time()
    joined = join([found.processes[0] for found in results], DamageLog())
    numbered = process_time()
    job = Run(paths=(), files=(), processes=joined.processes)
    compared = compare_ranks(job, Costs(job))
    end = process_time()
    assert compared is not None, "ranks of one job are compared"
    return Rank(
        read=read,
        unpickle=(unpickled - begin) / MERGED,
        join=(numbered - unpickled) / MERGED,
        compare=(end - numbered) / MERGED,
        result=len(packed[0]),
        captures=len(process.captures),
        compiles=len(process.compiles),
    )


def minutes(rank: Rank, workers: int) -> float:
    """Reckon and do not measure: 1,024 ranks on so many workers, merged by one process beside them.

    Results are merged while others are read; the last thing, joining and comparing, cannot be.
    """
    mapped = RANKS * rank.read / workers
    merged = RANKS * rank.unpickle
    return (max(mapped, merged) + RANKS * (rank.join + rank.compare)) / 60
