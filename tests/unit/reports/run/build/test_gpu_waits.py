"""``ca_gpu_waits``: what of the seconds lost the GPU waited, and which devices there were."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import ca_reports
from ca_engine import schema
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from ca_reports.output import terminal
from ca_reports.output.html import render
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

CARD = "cuda:0 NVIDIA H200"


def run_of(folder: Path, *waits: dict[str, Any], processes: int = 1) -> Run:
    """Two captures, of which the second, in 2 s, is lost; and the records ``waits``."""
    logs = []
    for rank in range(processes):
        log = LogWriter(rank=rank) if processes > 1 else LogWriter()
        log.ca_run()
        log.ca_capture(0, seconds={"capture": 1.0, "compile": 0.0})
        log.ca_capture(1, kind="changed_shapes", seconds={"capture": 2.0, "compile": 0.0})
        for record in waits:
            log.own(schema.GPU_WAITS_RECORD, **{"device": CARD, "seconds": [], **record})
        logs.append(log.write(folder / f"trace{rank}.log"))
    return ca_reports.load(logs)


def text_of(run: Run) -> str:
    out = io.StringIO()
    terminal.render(analyze(run), Console(file=out, width=100))
    return out.getvalue()


def test_only_what_was_lost_counts(tmp_path: Path) -> None:
    run = run_of(
        tmp_path, {"event": ["!0"], "waited": [1.0]}, {"event": ["!1", "0/0"], "waited": [1.5, 9.0]}
    )
    document = json_output.document(analyze(run))
    assert document["summary"]["seconds_lost"] == pytest.approx(2.0)
    assert document["summary"]["gpu_waited"] == pytest.approx(1.5)
    assert document["processes"][0]["devices"] == [CARD]
    text = text_of(run)
    assert "the GPU waited 1.5 s of that (75%)." in text
    assert f"Ran on {CARD}." in text


def test_it_waited_no_longer_than_was_lost(tmp_path: Path) -> None:
    run = run_of(tmp_path, {"event": ["!1", "!1"], "waited": [1.9, 0.4]})
    assert analyze(run).summary.gpu_waited == pytest.approx(2.0)


def test_of_several_ranks_it_is_a_share(tmp_path: Path) -> None:
    text = text_of(run_of(tmp_path, {"event": ["!1"], "waited": [1.0]}, processes=2))
    assert "the GPUs waited 50% of that time." in text


def test_without_a_gpu_nothing_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert analyze(run).summary.gpu_waited is None
    assert "GPU" not in text_of(run)
    assert "Ran on" not in text_of(run)


@pytest.mark.parametrize(
    "record",
    [
        {"event": ["!1"], "waited": []},
        {"event": [1], "waited": [1.0]},
        {"event": ["!1"], "waited": ["long"]},
        {"event": ["!1"], "waited": [-1.0]},
    ],
)
def test_a_broken_record_is_damage(tmp_path: Path, record: dict[str, Any]) -> None:
    run = run_of(tmp_path, record)
    assert run.damage
    assert analyze(run).summary.gpu_waited is None


def test_the_page_names_the_device_of_each_process(tmp_path: Path) -> None:
    page = render(analyze(run_of(tmp_path, {"event": ["!1"], "waited": [1.0]})))
    assert page.count(CARD) >= 2  # in the header and in the row of the process


def test_the_end_of_a_process_names_its_gpus(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.own(schema.END_RECORD, devices=[CARD, "cuda:1 NVIDIA H200"], backwards=0, hits=0)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (process,) = run.processes
    assert process.devices == (CARD, "cuda:1 NVIDIA H200")
    assert json.dumps(json_output.document(analyze(run)))
