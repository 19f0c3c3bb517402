"""Power of a turbine in the tide: a sum of constituents, cubed, with gusts."""

import torch

PERIODS = torch.tensor([12.42, 12.0, 25.82, 23.93])  # hours


def power(hours, seed):
    g = torch.Generator().manual_seed(seed)
    amplitude = torch.tensor([1.0, 0.4, 0.25, 0.2])
    phase = 6.28 * torch.rand(4, generator=g)
    time = torch.arange(hours, dtype=torch.float32).unsqueeze(1)
    speed = (amplitude * torch.cos(6.2832 * time / PERIODS + phase)).sum(1)
    return speed.abs().pow(3).clamp(max=2.0) + 0.05 * torch.randn(hours, generator=g)


def windows(series, back, ahead, batch, seed):
    g = torch.Generator().manual_seed(seed)
    while True:
        start = torch.randint(0, len(series) - back - ahead, (batch, 1), generator=g)
        yield series[start + torch.arange(back)], series[start + back + torch.arange(ahead)]
