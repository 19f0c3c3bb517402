"""Tells stamps apart by two torn views of each."""

import torch
from torch import nn
from torch.nn import functional


class Contrast(nn.Module):
    def __init__(self, width=16, temperature=0.5):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(width)
        )
        self.register_buffer("temperature", torch.tensor(temperature))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def forward(self, stamps, tear):
        views = [functional.normalize(self.encode(tear(stamps)), dim=-1) for _ in range(2)]
        if self.training:
            self.seen += stamps.shape[0]
        likeness = views[0] @ views[1].mT / self.temperature
        return functional.cross_entropy(likeness, torch.arange(len(stamps)))


def annealed(start, end, steps):
    """Temperatures, one for each step."""
    return [start * (end / start) ** (step / (steps - 1)) for step in range(steps)]
