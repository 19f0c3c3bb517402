"""Layers that compute as if their weights had few bits."""

import torch
from torch import nn
from torch.nn import functional


class Straight(torch.autograd.Function):
    """Rounds, and lets gradients through."""

    @staticmethod
    def forward(ctx, values):
        return values.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class FakeQuantize(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.bits = bits

    @property
    def levels(self):
        return 2 ** (self.bits - 1) - 1

    def forward(self, weights):
        scale = weights.detach().abs().amax(dim=-1, keepdim=True) / self.levels
        return Straight.apply(weights / scale) * scale


class QuantizedLinear(nn.Linear):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        self.quantize = FakeQuantize()

    def forward(self, values):
        return functional.linear(values, self.quantize(self.weight), self.bias)


class SeedSorter(nn.Module):
    def __init__(self, features=10, width=24, kinds=4):
        super().__init__()
        self.trunk = nn.Sequential(
            QuantizedLinear(features, width), nn.ReLU(), QuantizedLinear(width, width), nn.ReLU()
        )
        self.head = nn.Linear(width, kinds)

    def forward(self, seeds):
        return self.head(self.trunk(seeds))
