"""``ca graph``, ``ca tlparse`` and the formats of ``ca report``, as a user types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner


@pytest.fixture
def log(work: Path) -> Path:
    return sample_run().write(work / "trace.log")


def test_a_graph_on_the_terminal_and_as_files(ca: Runner, log: Path, work: Path) -> None:
    shown = ca("graph", log)
    assert shown.code == 0
    assert "capture !0: 1 node" in shown.stdout.replace("nodes", "node")
    assert "SumBackward0" in shown.stdout
    done = ca("graph", log, "--diff", "0", "1")
    assert "!0 → !1: 0 changed, 0 added, 0 removed, 1 the same" in done.stdout
    written = ca("graph", log, "-c", "!1", "--format", "json", "-o", "graph.json")
    assert written.stderr.endswith("wrote graph.json\n")
    assert json.loads((work / "graph.json").read_text())["title"] == "capture !1"
    assert ca("graph", log, "--format", "svg").stdout.startswith("<svg ")
    assert ca("graph", log, "--format", "dot").stdout.startswith("digraph ")
    page = ca("graph", log, "--format", "html", "--diff", "0", "1")
    assert page.stdout == "graph.html#view=graph&capture=0/1&difference=1\n"
    assert (work / "graph.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-c", "9"], "ca: this log has no capture 9; it has !0, !1, !2"),
        (["-c", "x"], "ca: x does not name a capture: write 3, !3, or 1/3 (process 1)"),
        (["-c", "1", "--diff", "0", "1"], "ca: --capture shows one graph, --diff two"),
        (["-o", "."], "ca: . is a folder: -o must name a file"),
        (["-o", "nowhere/graph.svg", "--format", "svg"], "ca: nowhere is not a folder"),
    ],
)
def test_wrong_arguments_are_one_line(
    ca: Runner, log: Path, arguments: list[str], message: str
) -> None:
    done = ca("graph", log, *arguments)
    assert done.code == 2
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--format", "terminal"],
        ["--diff", "0", "1"],
        ["--format", "dot"],
        ["--format", "svg"],
        ["--format", "json"],
        ["--format", "html"],
    ],
)
def test_a_file_of_the_users_is_not_overwritten(
    ca: Runner, log: Path, work: Path, options: list[str]
) -> None:
    command: list[str | Path] = ["graph", log, *options, "-o", "out"]
    assert ca(*command).code == 0
    assert ca(*command).code == 0, "what it wrote itself it may write again"
    (work / "out").write_text("mine")
    refused = ca(*command)
    assert refused.code == 2
    assert "out was not written by ca: --force overwrites it" in refused.stderr
    assert (work / "out").read_text() == "mine"


def test_force_overwrites_what_is_not_ours(ca: Runner, log: Path, work: Path) -> None:
    (work / "out.svg").write_text("mine")
    assert ca("graph", log, "--format", "svg", "-o", "out.svg", "--force").code == 0
    assert (work / "out.svg").read_text().startswith("<svg ")


def test_two_ranks_with_the_same_capture_have_to_be_told_apart(ca: Runner, work: Path) -> None:
    for rank in (0, 1):
        log = LogWriter(pid=10 + rank, rank=rank)
        log.torch_capture(0)
        log.write(work / "logs" / f"rank_{rank}.log")
    done = ca("graph", "logs", "-c", "0")
    assert done.code == 2
    assert "several processes have a capture 0: say which (0/0, 1/0)" in done.stderr
    assert ca("graph", "logs", "-c", "1/0").code == 0


def test_a_perfetto_trace_is_overwritten_and_nothing_else_is(
    ca: Runner, log: Path, work: Path
) -> None:
    for _ in range(2):
        done = ca("report", log, "--format", "perfetto")
        assert (done.code, done.stdout) == (0, "perfetto.json\n")
    assert json.loads((work / "perfetto.json").read_text())["traceEvents"]
    (work / "mine.json").write_text("{}")
    done = ca("report", log, "--format", "perfetto", "-o", "mine.json")
    assert done.code == 2
    assert (work / "mine.json").read_text() == "{}"
    assert ca("report", log, "--format", "perfetto", "--tlparse").code == 2
