"""`ca report --to`, with the real libraries and without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from tests.integration.conftest import Runner


@pytest.fixture
def log(work: Path) -> Path:
    """Return a log of three captures."""
    return sample_run().write(work / "trace.log")


def test_tensorboard_gets_scalars_and_the_findings(ca: Runner, log: Path, work: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    outcome = ca("report", log, "--to", "tensorboard", "board")

    assert (outcome.code, outcome.stdout) == (0, "sent to tensorboard: board\n")
    summary = json.loads(ca("explain-recompiles", log, "--format", "json").stdout)["summary"]
    board = EventAccumulator(str(work / "board")).Reload()
    (captures,) = board.Scalars("ca/captures")
    assert captures.value == summary["captures"] > 0
    (text,) = board.Tensors("ca/findings/text_summary")
    assert b"ca explain-recompiles" in text.tensor_proto.string_val[0]
    assert not list(work.glob("*.html"))


def test_wandb_gets_an_artifact(ca: Runner, log: Path, work: Path) -> None:
    pytest.importorskip("wandb")
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(work)}

    outcome = ca("report", log, "--to", "wandb", "project", env=quiet)

    assert outcome.code == 0, outcome.stderr
    assert outcome.stdout.startswith("sent to wandb: project/")
    (record,) = work.glob("wandb/offline-run-*/run-*.wandb")
    written = record.read_bytes()
    assert b"ca/captures" in written
    assert b"report.html" in written


@pytest.mark.long
def test_mlflow_gets_metrics_and_the_page(ca: Runner, log: Path, work: Path) -> None:
    pytest.importorskip("mlflow")
    store = {"MLFLOW_TRACKING_URI": f"file:{work / 'store'}", "MLFLOW_ALLOW_FILE_STORE": "true"}

    outcome = ca("report", log, "--to", "mlflow", "experiment", env=store)

    assert outcome.code == 0, outcome.stderr
    name, run = outcome.stdout.removeprefix("sent to mlflow: ").strip().split("/")
    assert name == "experiment"
    (metric,) = work.glob(f"store/*/{run}/metrics/ca.captures")
    assert float(metric.read_text().split()[1]) > 0
    (page,) = work.glob(f"store/*/{run}/artifacts/ca/report.html")
    assert "<!doctype html>" in page.read_text("utf-8").lower()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--to", "grafana", "x"], "--to: 'grafana' is not one of tensorboard, wandb, mlflow"),
        (["--to", "tensorboard", "x", "-o", "page.html"], "leave --output"),
    ],
)
def test_what_cannot_be_sent(ca: Runner, log: Path, args: list[str], message: str) -> None:
    outcome = ca("report", log, *args)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert outcome.stderr.count("\n") == 1


@pytest.mark.long
def test_what_a_service_refuses_is_one_line(ca: Runner, log: Path, work: Path) -> None:
    pytest.importorskip("tensorboard")
    (work / "file").write_text("mine")
    outcome = ca("report", log, "--to", "tensorboard", "file")
    assert outcome.code == 2
    assert outcome.stderr.startswith("ca: --to tensorboard: ")
    assert outcome.stderr.count("\n") == 1
    assert (work / "file").read_text() == "mine"


def test_a_line_for_log_collectors(ca: Runner, log: Path) -> None:
    line = ca("explain-recompiles", log, "--format", "json-line").stdout
    whole = json.loads(ca("explain-recompiles", log, "--format", "json").stdout)
    assert line.count("\n") == 1
    found = json.loads(line)
    assert found["summary"] == whole["summary"]
    assert found["findings_total"] == len(whole["findings"]) >= 1
    assert [one["code"] for one in found["findings"]] == [one["code"] for one in whole["findings"]]
