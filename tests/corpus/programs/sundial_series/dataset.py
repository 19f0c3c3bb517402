"""Hours of sun: a daily and a yearly wave, weather, and gaps."""

import math

import torch


class SunSeries:
    def __init__(self, stations=6, length=400, seed=0):
        g = torch.Generator().manual_seed(seed)
        t = torch.arange(length)
        daily = torch.sin(2 * math.pi * t / 24).clamp(min=0)
        yearly = 1 + 0.3 * torch.sin(2 * math.pi * t / 365)
        clouds = torch.rand(stations, length, generator=g).pow(2)
        self.values = daily * yearly * (1 - 0.5 * clouds)
        self.observed = torch.rand(stations, length, generator=g) > 0.05

    def chunks(self, width):
        """Consecutive stretches; the rest at the end is left out."""
        for start in range(0, self.values.size(1) - width, width):
            part = slice(start, start + width + 1)
            yield self.values[:, part], self.observed[:, part]
