"""Names the steps of PyTorch Lightning: ``Trainer(callbacks=[StepCallback()])``.

Works with ``lightning`` and with ``pytorch_lightning``, whichever the program imported.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ca_engine import steps

if TYPE_CHECKING:
    from lightning.pytorch.callbacks import Callback


def _base() -> Any:
    """Lightning's own base class; each of the two packages knows only its own."""
    packages = ["lightning.pytorch", "pytorch_lightning"]
    if "lightning" not in sys.modules and "pytorch_lightning" in sys.modules:
        packages.reverse()
    for module in (f"{package}.callbacks" for package in packages):
        try:
            return import_module(module).Callback
        except ModuleNotFoundError as error:  # noqa: PERF203
            # What is missing may also be something that Lightning itself needs.
            if not f"{module}.".startswith(f"{error.name}."):
                raise
    raise ModuleNotFoundError(
        "ca_engine.integrations.lightning needs PyTorch Lightning: "
        "pip install 'ca-profiler[lightning]'"
    )


if not TYPE_CHECKING:
    Callback = _base()


class StepCallback(Callback):  # type: ignore[misc]
    """Calls each batch ``step <number in its epoch>, epoch <epoch>, <phase>``.

    The phase is ``train``, ``validation``, ``sanity check``, ``test`` or ``predict``. The
    number is the one that Lightning's progress bar shows (``batch_idx``), not
    ``trainer.global_step``, which counts the optimizer's steps.
    """

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """Begin a batch of the training loop: forward, backward and step follow."""
        steps.step(batch_idx, epoch=trainer.current_epoch, phase="train")

    def on_validation_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Begin a batch of the validation, within an epoch or by itself."""
        phase = "sanity check" if trainer.sanity_checking else "validation"
        steps.step(batch_idx, epoch=trainer.current_epoch, phase=phase)

    def on_test_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Begin a batch of ``trainer.test``, which has no epochs."""
        steps.step(batch_idx, phase="test")

    def on_predict_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Begin a batch of ``trainer.predict``, which has no epochs."""
        steps.step(batch_idx, phase="predict")

    def on_train_batch_end(self, *_: Any, **__: Any) -> None:
        """End the step: what comes before the next batch belongs to none."""
        steps.forget()

    on_validation_batch_end = on_test_batch_end = on_predict_batch_end = on_train_batch_end
    # A batch that fails does not end.
    on_exception = on_train_batch_end
