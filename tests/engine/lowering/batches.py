"""A training whose batches vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch._dynamo
from torch import nn

from tests.engine.conftest import Backward, gradient

if TYPE_CHECKING:
    from collections.abc import Sequence

# Gradients of each step of a training
Steps = list[list[torch.Tensor]]


def batches_of_an_mlp(backward: Backward, sizes: Sequence[int] = (3, 4, 5, 4, 3)) -> Steps:
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.LayerNorm(6), nn.Linear(6, 2))
    steps = []
    for size in sizes:
        backward(model(torch.randn(size, 4)).square().mean())
        steps.append([gradient(each) for each in model.parameters()])
        model.zero_grad()
    return steps
