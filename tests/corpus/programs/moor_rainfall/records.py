import math

import torch


def rainfall(days: int, stations: int, seed: int) -> torch.Tensor:
    """Daily rain of some stations: a year's course, a slow drift, and showers."""
    generator = torch.Generator().manual_seed(seed)
    day = torch.arange(days)[:, None]
    shift = torch.rand(1, stations, generator=generator)
    course = 2 + torch.sin(2 * math.pi * (day / 365 + shift))
    drift = 0.02 * torch.randn(days, 1, generator=generator).cumsum(0)
    showers = torch.randn(days, stations, generator=generator).clamp(min=0)
    return course + drift + showers


def windows(record: torch.Tensor, length: int, stride: int):
    for start in range(0, len(record) - length + 1, stride):
        yield start, record[start : start + length]
