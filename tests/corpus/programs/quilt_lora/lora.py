"""Low-rank adapters that can be merged into the weight that they adapt."""

import math

import torch
from torch import nn


class LoraLinear(nn.Linear):
    def __init__(self, inputs, outputs, rank=4, alpha=8.0):
        super().__init__(inputs, outputs)
        self.weight.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, inputs))
        self.up = nn.Parameter(torch.zeros(outputs, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scale = alpha / rank
        self.merged = False

    @property
    def delta(self):
        return self.scale * (self.up @ self.down)

    @torch.no_grad()
    def merge(self, on):
        if on is not self.merged:
            self.weight += self.delta if on else -self.delta
            self.merged = on

    def forward(self, x):
        plain = super().forward(x)
        if self.merged:
            return plain
        return plain + self.scale * (x @ self.down.T @ self.up.T)


def adapters(model):
    return (part for part in model.modules() if isinstance(part, LoraLinear))


class merged:
    """While this lasts the adapters of `model` are part of its weights."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        for part in adapters(self.model):
            part.merge(True)

    def __exit__(self, *error):
        for part in adapters(self.model):
            part.merge(False)
