"""Crossings of ferries: wind, waves, and minutes of delay."""

import torch
from torch.utils.data import BatchSampler, SequentialSampler


class Crossings:
    def __init__(self, count=41, seed=14):
        generator = torch.Generator().manual_seed(seed)
        self.sea = torch.rand(count, 3, generator=generator)
        self.delay = 20 * self.sea[:, 0].pow(2) + 5 * torch.rand(count, generator=generator)

    def __len__(self):
        return len(self.delay)

    def batches(self, size, drop_last=False):
        sampler = BatchSampler(SequentialSampler(self), size, drop_last)
        for chosen in sampler:
            yield self.sea[chosen], self.delay[chosen]
