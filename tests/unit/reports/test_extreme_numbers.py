"""Numbers that no job can have written: they are damage, and every output stands."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
import rich.console

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, terminal, watch
from ca_reports.output import json as json_output
from ca_reports.output.formats import perfetto
from tests.unit.logwriter import START, LogWriter, run_file, sample_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ca_reports.run.model import Run

VALUES = (1e300, -1e300, 1.7e308, 2.0**63, 2**64, 10**300, -1, 1e18, float("nan"), float("inf"))


def _backwards(log: LogWriter, value: float) -> None:
    log.own(
        "ca_backwards",
        time=START, step=[1], capture=[0], start=[value], seconds=[value], miss=[0], failed=[0],
    )  # fmt: skip


def _batch(log: LogWriter, value: float) -> None:
    log.own(
        "ca_backwards",
        time=value, step=[1], capture=[0], start=[0.0], seconds=[1.0], miss=[0], failed=[0],
    )  # fmt: skip


def _ids(log: LogWriter, value: float) -> None:
    log.ca_capture(
        3, "unknown",
        step=value, autograd_nodes=value, key_size=value, sizes_changed=[value], inputs=value,
        fx_nodes={"total": value}, sizes=[{"index": value, "value": value}],
    )  # fmt: skip


def _change(log: LogWriter, value: float) -> None:
    change = {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 1}
    log.ca_capture(3, "unknown", changes=[{**change, "after": value}], closest_capture=1)


def _events(log: LogWriter, value: float) -> None:
    log.chromium("B", 0, -value)
    log.chromium("E", 0, value)


# What is extreme, and whether that must be among the damage.
WHERE: dict[str, tuple[Callable[[LogWriter, float], None], bool]] = {
    "a capture's time": (lambda log, value: log.ca_capture(3, "unknown", time=value), True),
    "a capture's seconds": (
        lambda log, value: log.ca_capture(3, "unknown", seconds={"capture": value}),
        True,
    ),
    "a backward": (_backwards, True),
    "a batch of backwards": (_batch, True),
    "the end": (lambda log, value: log.ca_end(value, 10, 7), True),
    "a compile's time": (lambda log, value: log.compiled("7/1", 1.0, start_time=value), True),
    "a compile's seconds": (
        lambda log, value: log.compiled("7/1", value, backend_compile_time_s=value),
        True,
    ),
    "torch's events": (_events, True),
    "ids and counts": (_ids, False),
    "a value that changed": (_change, False),
}


def outputs(run: Run) -> None:
    analysis = analyze(run)
    html.render(analysis)
    json.loads(json_output.render(analysis))
    terminal.render(analysis, rich.console.Console(file=io.StringIO(), width=100))
    rich.console.Console(file=io.StringIO(), width=100).print(watch.view(analysis, START))
    for event in json.loads(perfetto.render(analysis))["traceEvents"]:
        if event["ph"] == "X":
            assert event["dur"] >= 0
            assert abs(event["ts"]) < 2**63


@pytest.mark.parametrize("where", WHERE)
def test_every_output_stands(where: str, tmp_path: Path) -> None:
    fill, is_damage = WHERE[where]
    for value in VALUES:
        log = sample_run()
        fill(log, value)
        run = ca_reports.load([log.write(tmp_path / "trace.log")])
        outputs(run)
        assert len(run.captures) >= 3
        if is_damage:
            assert run.damage, value


@pytest.mark.parametrize("value", VALUES)
def test_a_run_file_too(value: float, tmp_path: Path) -> None:
    sample_run().write(tmp_path / "run" / "trace" / "dedicated_log_torch_trace_x.log")
    described = run_file(start=value, end=value, exit_code=value)
    (tmp_path / "run" / "run.json").write_text(json.dumps(described))
    run = ca_reports.load([tmp_path / "run"])
    outputs(run)
    assert run.damage
