"""Seismograms of blasts in a quarry, some of which are earthquakes."""

import torch


class Records:
    def __init__(self, count, samples=64, seed=0):
        g = torch.Generator().manual_seed(seed)
        time = torch.linspace(0, 1, samples)
        quake = torch.rand(count, generator=g) < 0.5
        rate = torch.where(quake, 4.0, 12.0) + torch.rand(count, generator=g)
        wave = torch.sin(40 * time * (1 + quake[:, None])) * torch.exp(-rate[:, None] * time)
        lengths = torch.randint(samples // 2, samples + 1, (count,), generator=g)
        self.mask = (torch.arange(samples) < lengths[:, None]).float()
        self.traces = (wave + 0.1 * torch.randn(count, samples, generator=g)) * self.mask
        self.labels = quake.float()

    def epoch(self, batch, generator):
        order = torch.randperm(len(self.labels), generator=generator)
        for start in range(0, len(order) - batch + 1, batch):
            rows = order[start : start + batch]
            yield self.traces[rows], self.mask[rows], self.labels[rows]
