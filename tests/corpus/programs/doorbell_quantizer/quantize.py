"""Fake quantization for training: symmetric, per tensor, with a straight-through gradient."""

import torch
from torch import nn
from torch.nn import functional as F


class FakeQuantize(nn.Module):
    def __init__(self, bits=8, momentum=0.1):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1
        self.momentum = momentum
        self.register_buffer("bound", torch.tensor(1.0))

    @property
    def ste(self):
        levels = self.levels

        class StraightThrough(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, bound):
                inside = x.abs() <= bound
                ctx.save_for_backward(inside)
                scale = bound / levels
                return (x / scale).round().clamp(-levels, levels) * scale

            @staticmethod
            def backward(ctx, grad):
                (inside,) = ctx.saved_tensors
                return grad * inside, None

        return StraightThrough

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.bound.lerp_(x.abs().amax(), self.momentum)
        return self.ste.apply(x, self.bound.clone())


class QuantLinear(nn.Linear):
    def __init__(self, *sizes, config):
        super().__init__(*sizes)
        self.config = config
        self.activations = FakeQuantize(config.bits)
        self.weights = FakeQuantize(config.bits)

    def forward(self, x):
        weight = self.weight
        if self.config.fake_quant:
            x, weight = self.activations(x), self.weights(weight)
        return F.linear(x, weight, self.bias)
