"""A job for the other process names nothing that only this process has."""

from __future__ import annotations

import pickle
import pickletools
import sys
from types import ModuleType
from typing import Any

import pytest
import torch

from ca_engine.lowering.background import job


@pytest.mark.parametrize(
    "value", [torch.contiguous_format, torch.channels_last, torch.strided, torch.float32], ids=str
)
def test_values_of_torch_come_from_no_module_that_imported_torch(
    value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A program's module that imports torch first is listed before torch's own modules.
    program: Any = ModuleType("train_utils")
    program.torch = torch
    monkeypatch.setattr(sys, "modules", {"train_utils": program, **sys.modules})

    written = job._pickled(value)

    texts = [argument for _, argument, _ in pickletools.genops(written) if type(argument) is str]
    assert "train_utils" not in texts
    assert pickle.loads(written) is value
