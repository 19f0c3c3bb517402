"""Tricks on the way back."""

import torch


def gradient_scaler(factor):
    """A function that leaves its input as it is and multiplies the gradient by `factor`."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * factor

    return Scaled.apply
