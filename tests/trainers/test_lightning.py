"""The callback of PyTorch Lightning, with the real Trainer on a model of one layer."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import ca_engine
import ca_reports
from ca_engine import steps
from ca_reports.diagnosis.analysis import analyze

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ["lightning.pytorch", "pytorch_lightning"]

# Five samples: the second batch of each epoch is a short one.
DATA = TensorDataset(torch.ones(5, 4), torch.zeros(5, 1))


def loader() -> DataLoader[Any]:
    return DataLoader(DATA, batch_size=3)


def library(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The package and our callback, made for it."""
    package = pytest.importorskip(name)
    if name == "pytorch_lightning":
        for loaded in [found for found in sys.modules if found.partition(".")[0] == "lightning"]:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.delitem(sys.modules, "ca_engine.integrations.lightning", raising=False)
    callback = importlib.import_module("ca_engine.integrations.lightning").StepCallback
    monkeypatch.delitem(sys.modules, "ca_engine.integrations.lightning")
    return package, callback


def model_of(package: Any, seen: list[Any]) -> Any:
    class Model(package.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def loss(self, batch: Any) -> torch.Tensor:
            seen.append(steps.current)
            found: torch.Tensor = (self.layer(batch[0]) - batch[1]).square().mean()
            return found

        def training_step(self, batch: Any, index: int) -> torch.Tensor:
            return self.loss(batch)

        def validation_step(self, batch: Any, index: int) -> None:
            self.loss(batch)

        def test_step(self, batch: Any, index: int) -> None:
            self.loss(batch)

        def predict_step(self, batch: Any, index: int) -> torch.Tensor:
            return self.loss(batch)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.1)

    return Model()


def trainer_of(package: Any, folder: Path, callback: Any, **options: Any) -> Any:
    return package.Trainer(
        max_epochs=2, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder,
        callbacks=[callback()], **options,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PACKAGES)
def test_every_batch_has_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, callback = library(name, monkeypatch)
    seen: list[Any] = []
    model = model_of(package, seen)
    trainer = trainer_of(package, tmp_path, callback)
    trainer.fit(model, loader(), loader())
    epoch = [(step, phase) for phase in ("train", "validation") for step in (0, 1)]
    assert seen == [
        (0, 0, "sanity check"), (1, 0, "sanity check"),
        *((step, 0, phase) for step, phase in epoch),
        *((step, 1, phase) for step, phase in epoch),
    ]  # fmt: skip
    assert steps.current is None
    seen.clear()
    trainer.validate(model, loader(), verbose=False)
    trainer.test(model, loader(), verbose=False)
    trainer.predict(model, loader())
    assert [(found.step, found.phase) for found in seen] == [
        (step, phase) for phase in ("validation", "test", "predict") for step in (0, 1)
    ]
    assert steps.current is None


@pytest.mark.filterwarnings("ignore")
def test_a_batch_that_raises_leaves_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, callback = library(PACKAGES[0], monkeypatch)
    model = model_of(package, [])
    model.layer.register_forward_pre_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trainer_of(package, tmp_path, callback).fit(model, loader())
    assert steps.current is None


@pytest.mark.filterwarnings("ignore")
def test_findings_say_which_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, callback = library(PACKAGES[0], monkeypatch)
    model = model_of(package, [])
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with (
        ca_engine.record(tmp_path / "run"),
        ca_engine.enable(lambda module: module),
    ):
        trainer_of(package, tmp_path, callback).fit(model, loader())
    run = ca_reports.load([tmp_path / "run"])
    first, *again = run.captures
    assert first.loop is not None
    assert first.loop.words == "step 0, epoch 0, train"
    words = {capture.loop.words for capture in again if capture.loop is not None}
    assert "step 1, epoch 0, train" in words
    found = {loop.words for finding in analyze(run).diagnosis.findings for loop in finding.loops}
    assert "step 1, epoch 0, train" in found


def test_without_lightning_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['lightning'] = sys.modules['pytorch_lightning'] = None\n"
        "import ca_engine.integrations.lightning"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: ca_engine.integrations.lightning needs PyTorch Lightning: "
        "pip install 'ca-profiler[lightning]'"
    )
