"""Calls of bats, cut out of nights of recordings."""

import random

import torch


class Night:
    """Calls of one night, by the size of its batches."""

    def __init__(self, calls, bands=16, species=4, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.species = torch.randint(0, species, (calls,), generator=generator)
        tone = torch.arange(bands).expand(calls, bands)
        peak = (3 + 3 * self.species).unsqueeze(1)
        self.spectra = torch.exp(-0.2 * (tone - peak).square())
        self.spectra += 0.2 * torch.randn(calls, bands, generator=generator)

    def __len__(self):
        return len(self.species)

    def __getitem__(self, chosen):
        return self.spectra[chosen], self.species[chosen]


def batched(order, size):
    batch = []
    for index in order:
        batch.append(index)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def nights(count, calls=28, size=8):
    rng = random.Random(count)
    for number in range(count):
        night = Night(calls, seed=number)
        order = list(range(len(night)))
        rng.shuffle(order)
        for chosen in batched(order, size):
            yield night[chosen]
