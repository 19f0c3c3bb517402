"""Observes the range of activations while calibrating, and quantizes them after."""

import torch
import torch.nn as nn


class FakeQuantize(nn.Module):
    def __init__(self, bits=8, calibration_steps=4, momentum=0.9):
        super().__init__()
        self.levels = 2**bits - 1
        self.calibration_steps = calibration_steps
        self.momentum = momentum
        self.steps_seen = 0
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.ones(()))

    def observe(self, x):
        self.low.mul_(self.momentum).add_(x.detach().amin(), alpha=1 - self.momentum)
        self.high.mul_(self.momentum).add_(x.detach().amax(), alpha=1 - self.momentum)

    def forward(self, x):
        self.steps_seen += 1
        if self.steps_seen <= self.calibration_steps:
            self.observe(x)
            return x
        scale = (self.high - self.low).clamp(min=1e-6) / self.levels
        quantized = ((x - self.low) / scale).round().clamp(0, self.levels) * scale + self.low
        return x + (quantized - x).detach()
