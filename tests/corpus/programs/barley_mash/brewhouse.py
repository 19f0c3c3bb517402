"""Mashes: temperatures over time, and the extract that they gave."""

import torch


def mash(batch, times, generator):
    start = 45 + 10 * torch.rand(batch, 1, generator=generator)
    slope = 20 * torch.rand(batch, 1, generator=generator)
    temperature = start + slope * torch.linspace(0, 1, times)
    extract = torch.exp(-((temperature - 63) ** 2) / 80).mean(1)
    observed = torch.rand(batch, times, generator=generator) > 0.2
    return (temperature - 60) / 10, observed, extract


class Mashes:
    def __init__(self, batches, batch=10, times=8, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.batches = [mash(batch, times, generator) for _ in range(batches)]

    def __iter__(self):
        return iter(self.batches)

    def __len__(self):
        return len(self.batches)
