"""A spatial light modulator shows a few levels of phase only."""

import math

import torch
from torch import nn


def quantizer(levels):
    """Round a phase to one of `levels`, and let its gradient through where it was close."""
    step = 2 * math.pi / levels

    class Quantized(torch.autograd.Function):
        @staticmethod
        def forward(ctx, phase):
            shown = torch.round(phase / step) * step
            ctx.save_for_backward(phase - shown)
            return shown

        @staticmethod
        def backward(ctx, gradient):
            (gap,) = ctx.saved_tensors
            return gradient * (1 - (2 * gap / step).square())

    return Quantized.apply


class Modulator(nn.Module):
    def __init__(self, pixels, levels):
        super().__init__()
        self.phase = nn.Parameter(2 * math.pi * torch.rand(pixels, pixels))
        self.levels = levels

    def forward(self, beam):
        shown = quantizer(self.levels)(self.phase)
        return beam * torch.cos(shown), beam * torch.sin(shown)
