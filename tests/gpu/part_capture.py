"""CPU seconds of a capture, torch's engine and ours, with the model on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from benchmarks import capture

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

FEW = ("MLP, 10 layers",)
ALL = ("MLP, 100 layers", "MLP, 400 layers", "GPT, 12 layers, eager forward")


def run(settings: Settings, result: Result) -> None:
    torch.set_default_device(settings.device)
    for case in FEW if settings.is_small else ALL:
        row = capture.measure(case)
        result.measured(f"capture, {case}", row["ca"], "CPU s", row["torch"])
