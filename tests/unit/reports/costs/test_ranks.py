"""Ranks side by side."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

from rich.console import Console

import ca_reports
from ca_reports.costs import ranks
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, terminal
from ca_reports.output import json as json_output
from ca_reports.run.model import Capture
from tests.unit.logwriter import START, LogWriter
from tests.unit.reports.of_ranks import CAPTURE, forward_job, job

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run


def said(run: Run) -> str:
    buffer = io.StringIO()
    terminal.render(analyze(run), Console(file=buffer, width=160))
    return buffer.getvalue()


def test_ranks_that_are_alike(tmp_path: Path) -> None:
    run = job(tmp_path, alone=None)
    compared = analyze(run).ranks
    assert compared is not None
    assert compared.alike == (0, 1, 2, 3)
    assert not compared.partings
    assert not compared.stalls
    assert "All 4 ranks captured the same, in the same order." in said(run)


def test_one_rank_that_captures_alone_stalls_the_others(tmp_path: Path) -> None:
    run = job(tmp_path, alone=2)
    compared = analyze(run).ranks
    assert compared is not None
    assert compared.alike == (0, 1, 3)
    (parting,) = compared.partings
    assert (parting.ranks, parting.step, parting.position) == ((2,), 5, 1)
    assert isinstance(parting.own, Capture)
    assert parting.own.label == "!1"
    assert parting.other is None
    (stall,) = compared.stalls
    assert stall.event == parting.own
    assert (stall.rank, stall.step) == (2, 5)
    assert stall.seconds == CAPTURE
    assert dict(stall.waited) == {0: CAPTURE, 1: CAPTURE, 3: CAPTURE}
    assert compared.waited == 3 * CAPTURE
    text = said(run)
    assert "rank 2 parts from ranks 0–1 and 3 at step 5: only rank 2 captured !1" in text
    assert "3 other ranks waited 9.0 s each" in text
    # One rank in full, of the others what differs.
    assert [(found.rank, found.id) for found in ranks.distinct_captures(run, compared)] == [
        (0, 0), (2, 1),
    ]  # fmt: skip
    document = json.loads(json_output.render(analyze(run)))["ranks"]
    assert document["partings"][0]["own"] == "!1"
    assert document["waited"] == 27.0
    assert [row["hits"] for row in document["rows"]] == [9, 9, 8, 9]


def test_a_rank_that_ended_early_did_not_part(tmp_path: Path) -> None:
    compared = analyze(job(tmp_path, alone=None, ended=3)).ranks
    assert compared is not None
    assert not compared.partings
    assert [(row.last_step, row.ended) for row in compared.rows][-1] == (2, False)


def test_a_rank_that_was_killed_before_others_captured_did_not_part(tmp_path: Path) -> None:
    # The two last ranks: one captures at step 5, the other was killed at step 3.
    compared = analyze(job(tmp_path, alone=0, number=2, ended=3)).ranks
    assert compared is not None
    assert not compared.partings


def test_one_rank_is_nothing_to_compare(tmp_path: Path) -> None:
    run = job(tmp_path, alone=None, number=1)
    assert analyze(run).ranks is None
    assert json.loads(json_output.render(analyze(run)))["ranks"] is None


def test_of_a_rank_that_was_restarted_the_last_start_counts(tmp_path: Path) -> None:
    for start in range(2):
        for rank in range(2):
            log = LogWriter(pid=100 + 10 * start + rank, rank=rank)
            log.ca_run(time=START + 100 * start)
            log.ca_capture(0, step=start)
            log.write(tmp_path / f"{start}-{rank}.log")
    compared = analyze(ca_reports.load([tmp_path])).ranks
    assert compared is not None
    assert compared.restarts == 2
    assert [row.process for row in compared.rows] == [1, 3]


def test_many_ranks_are_shown_in_few_lines(tmp_path: Path) -> None:
    text = said(job(tmp_path, alone=70, number=100))
    assert "and 84 more ranks" in text
    assert "rank 70 parts from ranks 0–69 and 71–99" in text
    assert len(text.splitlines()) < 50


def bystander(pid: int, rank: int | None, *, error: str | None = None) -> LogWriter:
    """A process that runs no backward: it starts later than the others."""
    log = LogWriter(pid=pid, rank=rank)
    log.ca_run(time=START + 30)
    log.ca_end(START + 40, backwards=0, hits=0, error=error)
    return log


def test_the_helpers_of_a_rank_are_neither_it_nor_a_restart(tmp_path: Path) -> None:
    job(tmp_path, alone=2)
    bystander(900, 2).write(tmp_path / "worker.log")  # a data loader's worker
    bystander(901, None).write(tmp_path / "launcher.log")
    run = ca_reports.load([tmp_path])
    assert [process.pid for process in run.processes] == [100, 101, 102, 103]
    assert sorted(process.pid or 0 for process in run.helpers) == [900, 901]
    assert [process.index for process in (*run.processes, *run.helpers)] == list(range(6))
    found = analyze(run).ranks
    assert found is not None
    assert found.restarts == 0
    assert [row.captures for row in found.rows] == [1, 1, 2, 1]
    # Three of the four lost nothing.
    assert "Lost 9.5 s of the 60.0 s it ran (16%) on rank 2 to 1 cause." in said(run)


def test_a_rank_that_did_nothing_is_told(tmp_path: Path) -> None:
    job(tmp_path, alone=None)
    bystander(900, 9).write(tmp_path / "9.log")
    bystander(901, None, error="ValueError").write(tmp_path / "x.log")
    run = ca_reports.load([tmp_path])
    assert run.helpers == ()
    assert [process.rank for process in run.processes] == [0, 1, 2, 3, 9, None]


def test_processes_that_all_did_nothing_are_all_told(tmp_path: Path) -> None:
    for pid in (1, 2):
        bystander(pid, None).write(tmp_path / f"{pid}.log")
    assert len(ca_reports.load([tmp_path]).processes) == 2


def test_how_a_rank_ended_has_room_in_eighty_columns(tmp_path: Path) -> None:
    for rank in range(2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False)
        log.compiled("0/0", 2000.0)
        if rank == 0:
            log.ca_end(START + 2001, 0, 0)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    out = io.StringIO()
    terminal.render(analyze(ca_reports.load([tmp_path / "job"])), Console(file=out, width=80))
    table = out.getvalue().partition("Ranks: one is shown in full")[2].splitlines()
    assert table[4].endswith("no closing record")


def test_without_compiled_autograd_the_table_is_about_compiles(tmp_path: Path) -> None:
    analysis = analyze(forward_job(tmp_path, alone=2))
    rows = json.loads(json_output.render(analysis))["ranks"]["rows"]
    assert [row["compiles"] for row in rows] == [1, 1, 2]
    assert [row["recompiles"] for row in rows] == [0, 0, 1]
    assert [row["seconds_compiling"] for row in rows] == [2.0, 2.0, 3.5]
    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=120))
    printed = out.getvalue()
    heads = printed.partition("Ranks: one is shown in full")[2].splitlines()[1].split()
    # Of what no rank has there is no column: no backward ran, and all ended in order.
    assert heads == ["process", "compiles", "recompiles", "breaks", "compiling", "lost"]
    assert "captured the same" not in printed
    assert (
        "rank 2 parts from ranks 0–1 after the same compiles: only rank 2 compiled 0/1" in printed
    )
    assert "Other ranks wait at the next collective" in printed
    page = html.render(analysis)
    assert "rank 2 parts from ranks 0–1 after the same compiles" in page
    assert '<th scope="col" class="number">compiling</th>' in page


def test_what_every_rank_compiled_alike_is_shown_once(tmp_path: Path) -> None:
    """Breaks, dynamic sizes and seconds of one rank in full; of the others what it has not."""
    for rank in range(3):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False, backend=None)
        log.compiled("0/0", 2.0)
        for reason in ["Unsupported method call", *(["only here"] if rank == 2 else [])]:
            log.artifact("dynamo_graph_break_reason", reason, "string", **log.context("0/0"))
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    analysis = analyze(ca_reports.load([tmp_path / "job"]))
    assert [found.process for found in analysis.run.graph_breaks] == [0, 1, 2, 2]
    assert [
        (found.process, found.reason)
        for found in ranks.distinct_breaks(analysis.run.graph_breaks, analysis.ranks)
    ] == [(0, "Unsupported method call"), (2, "only here")]

    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=120))
    breaks = out.getvalue().partition("Graph breaks\n")[2].partition("\n\n")[0]
    assert breaks.split()[:2] == ["process", "compile"]
    assert re.findall("rank [0-9]", breaks) == ["rank 0", "rank 2"]
    bill = out.getvalue().partition("Seconds compiling\n")[2].partition("\n\n")[0]
    assert re.findall("rank [0-9]", bill) == ["rank 0"]


def test_ranks_that_did_nothing_and_ended_well_are_no_table(tmp_path: Path) -> None:
    for rank in range(3):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.ca_run(enabled=False, backend=None)
        if rank < 2:
            log.ca_end(START + 3, backwards=0, hits=0)
        log.write(tmp_path / "job" / "trace" / f"dedicated_log_torch_trace_rank_{rank}_x.log")
    # One of three was killed.
    killed = analyze(ca_reports.load([tmp_path / "job"]))
    assert killed.ranks is not None
    (tmp_path / "job" / "trace" / "dedicated_log_torch_trace_rank_2_x.log").unlink()

    assert analyze(ca_reports.load([tmp_path / "job"])).ranks is None
