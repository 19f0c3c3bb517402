"""What several files say of one process is put together; nothing is lost or told twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fsspec.implementations.memory import MemoryFileSystem

import ca_reports
from ca_reports.logs.damage import DamageLog
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather.filereading import read_file
from ca_reports.run.gather.joining import join
from ca_reports.run.model import Frame, GraphBreak, Process
from tests.unit.logwriter import START, LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_copy_of_a_log_is_counted_once(tmp_path: Path) -> None:
    data = sample_run().data
    (tmp_path / "a.log").write_bytes(data)
    (tmp_path / "b.log").write_bytes(data[: len(data) // 2])
    run = ca_reports.load([tmp_path / "b.log", tmp_path / "a.log"])
    assert len(run.processes) == 1
    assert len(run.captures) == 3
    assert [found.kind for found in run.damage if found.kind == "duplicate"] == ["duplicate"]


def test_equal_pids_of_two_starts_stay_apart() -> None:
    first, second = LogWriter(rank=0), LogWriter(rank=0)
    first.ca_run()
    second.ca_run(time=START + 100)
    processes: list[Process] = []
    for number, log in enumerate((first, second)):
        path = f"memory://start/{number}.log"
        MemoryFileSystem().pipe(f"/start/{number}.log", log.data)
        processes += read_file(path, Bounds()).processes
    damage = DamageLog()
    assert len(join(processes, damage).processes) == 2
    assert not damage.items()


def test_graph_breaks_that_differ_only_in_their_explanation_stay_apart() -> None:
    causes = [(line, name) for line in (1, 2, 3) for name in ("lock", "profiler")] + [(4, "lock")]
    breaks = tuple(
        GraphBreak(
            "0/0", 0, "Unsupported context manager", f"Dynamo does not enter `{name}`.",
            Frame("/home/user/train.py", line, "step", "with found:"), (), 2,
        )
        for line, name in causes
    )  # fmt: skip
    assert len({(found.reason, found.location) for found in breaks}) == 4
    trace = Process(0, "trace.log", None, 4711, 20, graph_breaks=breaks)
    text = replace(trace, file="stderr.txt", from_text=True)
    fewer = replace(text, graph_breaks=breaks[3:])
    for processes in ([trace, text], [text, trace], [trace, fewer]):
        (joined,) = join(processes, DamageLog()).processes
        assert joined.graph_breaks == breaks
    # What only the text has is added.
    (joined,) = join([replace(trace, graph_breaks=breaks[:3]), text], DamageLog()).processes
    assert joined.graph_breaks == breaks
