"""Logs behind a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import zstandard
from fsspec.implementations.memory import MemoryFileSystem

import ca_reports
from ca_reports.errors import NothingReadable
from tests.unit.logwriter import LogWriter, run_file, sample_run

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    """A file system behind ``memory://``, empty before and after."""
    system = MemoryFileSystem()
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


def test_urls(memory: MemoryFileSystem) -> None:
    log = sample_run().data
    memory.pipe("/job/a/dedicated_log_torch_trace_rank_3_x.log", log)
    memory.pipe("/job/a/notes.txt", b"notes")
    memory.pipe("/job/b.log.zst", zstandard.compress(LogWriter(pid=5).data + log))
    file = ca_reports.load(["memory://job/a/dedicated_log_torch_trace_rank_3_x.log"])
    assert len(file.captures) == 3
    assert file.processes[0].rank == 3
    assert ca_reports.load(["memory://job/a"]).files == file.files
    assert len(ca_reports.load(["memory://job/*.zst"]).captures) == 3
    with pytest.raises(NothingReadable, match="no such file"):
        ca_reports.load(["memory://job/nowhere.log"])
    with pytest.raises(NothingReadable, match="matches"):
        ca_reports.load(["memory://job/*.nothing"])
    with pytest.raises(NothingReadable, match="nosuch"):
        ca_reports.load(["nosuch://job/x.log"])


def test_a_run_folder_behind_a_url(memory: MemoryFileSystem) -> None:
    import orjson

    memory.pipe("/runs/one/run.json", orjson.dumps(run_file(exit_code=3)))
    memory.pipe("/runs/one/trace/dedicated_log_torch_trace_x.log", sample_run().data)
    run = ca_reports.load(["memory://runs/one"])
    assert [found.exit_code for found in run.recorded] == [3]
    assert len(run.captures) == 3
    assert not run.damage
