"""Few-shot regression: every episode is a wave of its own."""

import math

import torch


def sample_episode(shots: int, queries: int) -> tuple[torch.Tensor, ...]:
    amplitude = 0.5 + 1.5 * torch.rand(1)
    phase = math.pi * torch.rand(1)
    x = 10 * torch.rand(shots + queries, 1) - 5
    y = amplitude * torch.sin(x + phase)
    return x[:shots], y[:shots], x[shots:], y[shots:]
