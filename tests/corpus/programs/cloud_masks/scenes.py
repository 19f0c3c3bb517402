"""Scenes of a satellite, with clouds that shine in every band."""

import torch


def scene(batch, bands, size, generator):
    ground = torch.rand(batch, bands, size, size, generator=generator)
    cloud = (torch.rand(batch, 1, size, size, generator=generator) > 0.7).float()
    return torch.maximum(ground, 0.9 * cloud), cloud


class Scenes:
    def __init__(self, count=11, batch=4, bands=4, size=8, seed=0):
        self.shape = (batch, bands, size)
        self.count, self.seed = count, seed

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        for _ in range(self.count):
            yield scene(*self.shape, generator)
