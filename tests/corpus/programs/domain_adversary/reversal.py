"""Gradient reversal between features and the judge of domains."""

import torch


def gradient_reversal(strength):
    """A function that is the identity forwards and reverses gradients backwards."""

    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(ctx, features):
            return features.view_as(features)

        @staticmethod
        def backward(ctx, gradient):
            return -strength * gradient

    return Reversal.apply
