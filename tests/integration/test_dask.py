"""Reading on a Dask cluster: a real one, of worker processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.errors import CaError
from ca_reports.run.gather.pool import NoScheduler
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.integration.conftest import Runner

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]

RANKS = 24


# When they run, not when they are collected, which each worker does.
@pytest.fixture(autouse=True, scope="module")
def distributed() -> Any:
    return pytest.importorskip("distributed")


@pytest.fixture
def cluster(distributed: Any) -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        host="127.0.0.1",
    ) as started:  # fmt: skip
        yield started


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """One file a rank, each big enough to be read for a moment."""
    filler = LogWriter()
    filler.record("dump_file", {}, "x" * 100_000)
    for rank in range(RANKS):
        log = LogWriter(pid=1000 + rank, rank=rank)
        log.ca_run()
        for id in range(1 + rank % 3):
            log.ca_capture(id)
            log.torch_capture(id)
        log.records += filler.records * 60
        log.write(tmp_path / "logs" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    return tmp_path / "logs"


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_cluster_reads_what_one_process_reads(
    cluster: Any, logs: Path, work: Path, cold_ca: Runner
) -> None:
    (logs / "broken.log").write_bytes(b"\x00")
    alone = ca_reports.load([logs], jobs=1)
    assert ca_reports.load([logs], scheduler=cluster.scheduler_address) == alone
    outcome = cold_ca("explain-recompiles", logs, "--scheduler", cluster.scheduler_address)
    assert outcome.code == 0
    assert "captures" in outcome.stdout


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(
    distributed: Any, cluster: Any, logs: Path
) -> None:
    alone = ca_reports.load([logs], jobs=1)
    with distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))

    class KillsInTheMiddle:
        done = 0

        def start(self, files: int, size: int | None) -> None: ...

        def advance(self, size: int) -> None: ...

        def file_done(self) -> None:
            self.done += 1
            if self.done == 3:
                os.kill(victim, signal.SIGKILL)

    progress = KillsInTheMiddle()
    run = ca_reports.load([logs], scheduler=cluster.scheduler_address, progress=progress)
    assert progress.done == RANKS
    assert run == alone
    assert not run.damage
    deadline = time.monotonic() + 10
    while alive(victim) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(victim)


def test_a_scheduler_without_workers_is_an_error(distributed: Any) -> None:
    with distributed.LocalCluster(
        n_workers=0, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as empty, pytest.raises(NoScheduler, match="has no workers"):  # fmt: skip
        ca_reports.load([__file__], scheduler=empty.scheduler_address)


def test_an_address_without_a_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from ca_reports.run.gather import pool

    monkeypatch.setattr(pool, "_CONNECT_SECONDS", 1)
    before = threading.active_count()
    with pytest.raises(CaError, match="no Dask scheduler at tcp:"):
        ca_reports.load([__file__], scheduler="tcp://127.0.0.1:1")
    assert threading.active_count() <= before + 4
