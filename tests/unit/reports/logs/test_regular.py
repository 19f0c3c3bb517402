"""What lies in a run folder or a repository may be a pipe, a device, or a link to one."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

import ca_reports
from ca_reports.gates import baseline, files
from ca_reports.logs.regular import read_regular
from ca_reports.run import seal
from ca_reports.run.model import Run
from tests.unit.logwriter import sample_run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="of Linux")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    sample_run().write(tmp_path / "run" / "trace" / "x.log")
    (tmp_path / "run" / "run.json").write_text("{}")
    return tmp_path / "run"


def in_time(read: object) -> None:
    """Fail where ``read`` waits, rather than wait for it."""
    assert callable(read)
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.parametrize("name", ["run.json", "exit_code", "source.json"])
@pytest.mark.parametrize("leads_to", [None, "/dev/zero"])
def test_a_run_folder_of_pipes_and_devices_is_read(
    run: Path, name: str, leads_to: str | None
) -> None:
    (run / name).unlink(missing_ok=True)
    if leads_to is None:
        os.mkfifo(run / name)
    else:
        (run / name).symlink_to(leads_to)
    found: list[Run] = []

    in_time(lambda: found.append(ca_reports.load([run])))

    assert len(found[0].captures) == 3
    assert [one.detail for one in found[0].damage] == ["it is no regular file"]


def test_a_seal_that_is_a_pipe_marks_nothing(run: Path) -> None:
    os.mkfifo(run / "seal")
    found: list[bool] = []
    in_time(lambda: found.append(seal.holds(run, "/")))
    assert found == [False]


def test_a_file_of_the_kernel_is_empty() -> None:
    assert Path("/proc/self/status").is_file()
    assert read_regular("/proc/self/status", 100) == b""


def test_settings_and_baselines_of_no_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(files.ConfigError, match="no regular file"):
        files.find(tmp_path, Path("/dev/zero"))
    with pytest.raises(baseline.BaselineError, match="no regular file"):
        baseline.read(Path("/dev/zero"))
    big = tmp_path / "ca.toml"
    big.write_bytes(b"#" * (5 << 20))
    with pytest.raises(files.ConfigError, match="4 MiB"):
        files.find(tmp_path)
    os.truncate(big, 65 << 20)
    with pytest.raises(baseline.BaselineError, match="64 MiB"):
        baseline.read(big)


def test_settings_may_come_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "settings"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_text("secrets = ['x']\n"), daemon=True).start()
    found = files.find(tmp_path, pipe)
    assert found is not None
    assert files.secret_names(found.table, "") == ("x",)
