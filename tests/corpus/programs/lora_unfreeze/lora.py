"""Low-rank adapters around frozen layers."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.02)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.T @ self.up.T)


def adapted(width=8, depth=3):
    layers = [LoRALinear(nn.Linear(width, width)) for _ in range(depth)]
    return nn.Sequential(*layers, nn.Linear(width, 3))


def set_trainable(model, count):
    """The last `count` adapters learn; the others wait."""
    adapters = [module for module in model if isinstance(module, LoRALinear)]
    for number, adapter in enumerate(reversed(adapters)):
        adapter.down.requires_grad = number < count
        adapter.up.requires_grad = number < count
