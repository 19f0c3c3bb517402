"""Which files are read for a path: folders, links, stdin, runs, files of the kernel."""

from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.errors import NothingReadable
from ca_reports.logs.opening import open_log
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_link_that_leads_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    """Who made the folder does not know what else of this machine may be shown."""
    run, outside = tmp_path / "run", tmp_path / "outside"
    other = LogWriter(pid=7)
    other.ca_run()
    other.write(outside / "secret.log")
    sample_run().write(run / "trace" / "x.log")
    (run / "run.json").write_text("{}")
    (run / "trace" / "y.log").symlink_to(outside / "secret.log")
    (run / "trace" / "z.log").symlink_to("x.log")

    found = ca_reports.load([run])

    assert len(found.processes) == 1
    assert [(one.kind, one.file) for one in found.damage] == [
        ("link", str(run / "trace" / "y.log"))
    ]
    assert len(ca_reports.load([run / "trace" / "y.log"]).processes) == 1  # it was named
    (run / "trace").rename(run / "kept")
    (run / "trace").symlink_to(outside)
    with pytest.raises(NothingReadable):
        ca_reports.load([run])


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(gzip.compress(sample_run().data))

    monkeypatch.setattr(sys, "stdin", Input())
    run = ca_reports.load(["-"])
    assert run.files == run.paths == ("<stdin>",)
    assert len(run.captures) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these files")
def test_a_file_of_the_kernel_is_not_read() -> None:
    """To read `/proc/kmsg`, which a link in a folder may lead to, waits for ever."""
    with open_log("/proc/self/status") as stream:
        assert stream.read() == b""
