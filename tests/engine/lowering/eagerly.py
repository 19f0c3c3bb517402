"""Backwards that the backend `eager` compiles."""

from __future__ import annotations

from typing import Any

import torch
import torch._dynamo
from torch import nn

import ca_engine


def compile_eager(module: Any) -> Any:
    return torch.compile(module, backend="eager")


def backward_of(model: nn.Module, compiler_fn: Any = compile_eager, **options: Any) -> None:
    with ca_engine.enable(compiler_fn, **options):
        model(torch.ones(2, 3)).sum().backward()
