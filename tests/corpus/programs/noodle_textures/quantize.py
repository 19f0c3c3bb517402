"""Rounding that gradients pass through."""

import torch


def rounding(levels):
    """A differentiable function that rounds to one of `levels` values in [0, 1]."""

    class Rounding(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * (levels - 1)).round() / (levels - 1)

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    return Rounding.apply
