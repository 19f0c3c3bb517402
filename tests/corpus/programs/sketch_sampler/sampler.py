"""Ancestral sampling of sketches."""

from functools import partial

import torch


def repeatable_noise(sketch, seed):
    """The same noise for the same seed, whatever else was drawn."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return torch.randn_like(sketch)


class Sampler:
    def __init__(self, denoiser, schedule, churn=0.3):
        self.denoiser, self.schedule, self.churn = denoiser, schedule, churn
        self.step = torch.compile(self.ancestral, backend="eager", dynamic=False)

    def ancestral(self, sketch, seed, sigma, following):
        clean = self.denoiser(sketch, sigma)
        toward = (sketch - clean) / sigma
        moved = sketch + toward * (following - sigma)
        return moved + self.churn * following * repeatable_noise(sketch, seed)

    @torch.no_grad()
    def sample(self, count, seed):
        sketch = self.schedule.level(1) * torch.randn(count, 1, 16, 16)
        for number, (sigma, following) in enumerate(self.schedule):
            step = partial(self.step, sigma=sigma, following=following)
            sketch = step(sketch, seed + number)
        return sketch
