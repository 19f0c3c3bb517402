"""Noise that is added to gradients, less of it each step."""

import torch


def fading_noise(scale, decay):
    """A hook for a parameter; it counts how often it was called."""
    calls = 0

    def hook(gradient):
        nonlocal calls
        calls += 1
        return gradient + torch.randn_like(gradient) * (scale / calls**decay)

    return hook
