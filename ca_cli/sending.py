"""A run's findings where the training is watched already: TensorBoard, Weights & Biases, MLflow."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_cli import formats
from ca_cli.errors import UsageError
from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from ca_reports.diagnosis.analysis import Analysis


def send(service: str, target: str, analysis: Analysis) -> str:
    """Send the findings, the totals and the page to `service`; return where they are.

    `target` is TensorBoard's log folder, W&B's project or MLflow's experiment. Raises
    `UsageError` for an unknown service, one whose library is not installed, and with what the
    library says where it refuses.
    """
    chosen = _SERVICES.get(service)
    if chosen is None:
        raise UsageError(f"--to: {service!r} is not one of {', '.join(_SERVICES)}")
    with tempfile.TemporaryDirectory() as folder:
        parcel = _Parcel.of(analysis, Path(folder))
        try:
            return chosen(target, parcel)
        except UsageError:
            raise
        except Exception as error:  # each library has its own: no server, no login, no rights
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise UsageError(f"--to {service}: {reason}") from error


@dataclass(frozen=True)
class _Parcel:
    """Totals by their keys in the JSON's summary, and files to send."""

    numbers: dict[str, float]
    captures: list[tuple[int, float]]  # step, seconds
    findings: str  # Markdown
    files: list[Path]

    @classmethod
    def of(cls, analysis: Analysis, folder: Path) -> _Parcel:
        from ca_reports.output.json import summary_document

        texts = {
            "report.html": formats.find("html", "page").text("page", analysis),
            "report.md": formats.find("markdown", "analysis").text("analysis", analysis),
            "ca.json": formats.find("json", "analysis").text("analysis", analysis),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
        numbers = summary_document(analysis.summary).items()
        return cls(
            {name: float(value) for name, value in numbers if isinstance(value, (int, float))},
            [
                (found.step, found.seconds.total)
                for found in analysis.run.captures
                if found.step is not None and found.seconds.total is not None
            ],
            texts["report.md"],
            [folder / name for name in texts],
        )


def _to_tensorboard(folder: str, parcel: _Parcel) -> str:
    _library("tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    last = max((step for step, _ in parcel.captures), default=0)
    with SummaryWriter(folder) as writer:
        for name, value in parcel.numbers.items():
            writer.add_scalar(f"ca/{name}", value, last)
        for step, seconds in parcel.captures:
            writer.add_scalar("ca/capture_seconds", seconds, step)
        writer.add_text("ca/findings", parcel.findings, last)
    return folder


def _to_wandb(project: str, parcel: _Parcel) -> str:
    wandb = _library("wandb")
    # WANDB_RUN_ID names the training's own run, to which the report then belongs.
    with wandb.init(project=project, job_type="ca", resume="allow") as run:
        run.summary.update({f"ca/{name}": value for name, value in parcel.numbers.items()})
        artifact = wandb.Artifact("ca-report", type="report")
        for path in parcel.files:
            artifact.add_file(str(path))
        run.log_artifact(artifact)
        return f"{run.project}/{run.id}"


def _to_mlflow(experiment: str, parcel: _Parcel) -> str:
    mlflow = _library("mlflow", "mlflow-skinny")
    mlflow.set_experiment(experiment)
    # MLFLOW_RUN_ID names the training's own run, to which the report then belongs.
    with mlflow.start_run() as run:
        mlflow.log_metrics({f"ca.{name}": value for name, value in parcel.numbers.items()})
        for path in parcel.files:
            mlflow.log_artifact(str(path), "ca")
        return f"{experiment}/{run.info.run_id}"


_SERVICES: dict[str, Callable[[str, _Parcel], str]] = {
    "tensorboard": _to_tensorboard,
    "wandb": _to_wandb,
    "mlflow": _to_mlflow,
}


def _library(name: str, package: str | None = None) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        message = f"--to {name} needs {name}: pip install {package or name}"
        raise UsageError(message) from None
