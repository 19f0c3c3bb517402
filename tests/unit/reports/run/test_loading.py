"""From paths to a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.errors import CaError, NothingReadable
from ca_reports.run.loading import earlier_run
from tests.unit.logwriter import START, LogWriter, sample_run
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"hello\n", "not_a_trace"),
        (b"\x7fELF\0\0\0" * 999, "not_a_trace"),
        ("V1121 nothing\n".encode("utf-16"), "not_a_trace"),
        (b"V1121 06:36:26.019000 20 torch/a.py:9] [__compiled_autograd] Cache miss", "not_a_trace"),
    ],
)
def test_what_is_no_trace_is_named(content: bytes, kind: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.log"
    bad.write_bytes(content)
    with pytest.raises(NothingReadable, match=r"bad\.log"):
        ca_reports.load([bad])
    log = LogWriter()
    log.torch_capture(0)
    run = ca_reports.load([bad, log.write(tmp_path / "good.log")])
    assert [(damage.file, damage.kind) for damage in run.damage] == [(str(bad), kind)]
    assert len(run.captures) == 1


def test_a_script_in_place_of_its_run_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import torch\n")
    with pytest.raises(NothingReadable, match=r"Record it first: ca run train\.py"):
        ca_reports.load([path])


def test_torch_logs_text_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "stderr.txt"
    path.write_text("V1121 06:36:26.019000 20 torch/a.py:9] [!0] [__compiled_autograd] DCE\n")
    with pytest.raises(NothingReadable, match="TORCH_TRACE"):
        ca_reports.load([path])


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match="no such file"):
        ca_reports.load([tmp_path / "nowhere.log"])
    with pytest.raises(NothingReadable, match="matches"):
        ca_reports.load([str(tmp_path / "*.log")])
    with pytest.raises(NothingReadable, match="no file"):
        ca_reports.load([tmp_path])
    assert issubclass(NothingReadable, CaError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    with pytest.raises(NothingReadable, match="a pipe: give what it holds on stdin, as `-`"):
        ca_reports.load([tmp_path / "pipe.log"])
    with pytest.raises(NothingReadable, match="neither a file nor a folder"):
        ca_reports.load(["/dev/null"])


def test_the_newest_run(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match=r"no run in ca-runs: record one with `ca run"):
        ca_reports.newest_run(tmp_path)
    runs = tmp_path / "ca-runs"
    newest = run_folder(runs / "a-2", start=START + 5)
    run_folder(runs / "b-1", start=START)
    (runs / "stray").mkdir()
    assert ca_reports.newest_run(tmp_path) == newest


def test_a_folder_of_runs_is_a_question(tmp_path: Path) -> None:
    for name in ("first", "second"):
        folder = tmp_path / "ca-runs" / name
        sample_run().write(folder / "trace" / "x.log")
        (folder / "run.json").write_text("{}")
    with pytest.raises(NothingReadable, match="holds 2 runs: name one, such as"):
        ca_reports.load([tmp_path / "ca-runs"])
    assert len(ca_reports.load([str(tmp_path / "ca-runs" / "*")]).recorded) == 2


def test_the_only_run_of_a_folder_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "ca-runs" / "first"
    sample_run().write(folder / "trace" / "x.log")
    (folder / "run.json").write_text("{}")
    run = ca_reports.load([tmp_path / "ca-runs"])
    assert [one.folder for one in run.recorded] == [str(folder)]
    # A link may lead out of what the user named.
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "first").symlink_to(folder)
    with pytest.raises(NothingReadable, match="holds 1 run: name one"):
        ca_reports.load([tmp_path / "links"])


def test_the_earlier_run_is_the_last_one_of_the_same_command(tmp_path: Path) -> None:
    def run(
        name: str, start: float, *arguments: str, script: str = "train.py", end: float | None = None
    ) -> Path:
        return run_folder(
            tmp_path / "ca-runs" / name, script=script, start=start, end=end,
            command=["ca", "run", "--quiet", script, *arguments],
        )  # fmt: skip

    run("oldest", 1.0, "--lr", "1")
    before = run("before", 2.0, "--lr", "1", end=3.0)
    run("still-running", 3.0, "--lr", "1", end=7.0)
    run("other-arguments", 3.0, "--lr", "2")
    run("other-script", 4.0, "--lr", "1", script="eval.py")
    asked = run("asked", 5.0, "--lr", "1")
    run("later", 6.0, "--lr", "1")

    assert earlier_run(asked) == before
    assert earlier_run(tmp_path / "ca-runs" / "other-script") is None
    assert earlier_run(tmp_path) is None


def test_a_module_with_other_arguments_is_another_command(tmp_path: Path) -> None:
    def run(name: str, start: float, *arguments: str) -> Path:
        return run_folder(
            tmp_path / "ca-runs" / name, script="-m torch.distributed.run",
            start=start, end=start + 0.5,
            command=["ca", "run", "-m", "torch.distributed.run", *arguments],
        )  # fmt: skip

    before = run("before", 1.0, "--nproc-per-node", "2", "train.py")
    run("other-script", 2.0, "--nproc-per-node", "2", "evaluate.py")

    assert earlier_run(run("asked", 3.0, "--nproc-per-node", "2", "train.py")) == before
