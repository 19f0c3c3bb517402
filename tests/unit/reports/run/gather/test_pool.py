"""Files of a run, read by several processes."""

from __future__ import annotations

import os
import pickle
import sys
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.gather import pool
from ca_reports.run.gather.filereading import FileResult, read_file
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path


def many(tmp_path: Path, number: int = 4) -> list[Path]:
    files = []
    for rank in range(number):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run()
        for id in range(rank + 1):
            log.ca_capture(id)
            log.torch_capture(id)
        files.append(log.write(tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log"))
    return files


def test_a_pool_reads_what_one_process_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(tmp_path)
    (tmp_path / "broken.log").write_bytes(b"\x00\x01")
    alone = ca_reports.load([tmp_path], jobs=1)
    monkeypatch.setattr(pool, "WORTH_A_POOL", 0)
    pooled = ca_reports.load([tmp_path], jobs=2)
    assert pooled == alone
    assert [len(process.captures) for process in pooled.processes] == [1, 2, 3, 4]
    assert [process.index for process in pooled.processes] == [0, 1, 2, 3]
    assert [capture.process for capture in pooled.captures] == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]


def test_progress_is_told_of_every_byte_and_file(tmp_path: Path) -> None:
    files = many(tmp_path)

    class Told:
        read = 0
        done = 0

        def start(self, files: int, size: int | None) -> None:
            self.files, self.size = files, size

        def advance(self, size: int) -> None:
            self.read += size

        def file_done(self) -> None:
            self.done += 1

    told = Told()
    ca_reports.load(files, jobs=1, progress=told)
    assert (told.files, told.done) == (4, 4)
    assert told.read == told.size == sum(path.stat().st_size for path in files)


def _dies(name: str, *args: object) -> FileResult:
    if "rank_1" in name:
        os._exit(9)
    return read_file(name, Bounds(), os.path.basename(name))  # noqa: PTH119


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork, to hand the function over")
def test_a_reader_that_dies_costs_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = many(tmp_path)
    monkeypatch.setattr(pool, "WORTH_A_POOL", 0)
    monkeypatch.setattr(pool, "read_file", _dies)
    results = pool.read_all([str(path) for path in files], Bounds(), jobs=2)
    assert [len(found.processes) for found in results] == [1, 0, 1, 1]
    (damage,) = results[1].damage
    assert "killed" in damage.detail


def test_results_can_cross_processes(tmp_path: Path) -> None:
    result = read_file(str(sample_run().write(tmp_path / "x.log")), Bounds())
    assert pickle.loads(pickle.dumps(result)) == result
