"""Grey profiles across the ear stones of fish, and how many rings (years) they show."""

import math
from dataclasses import dataclass

import torch


@dataclass
class RingBatch:
    id: list[str]
    sig: torch.Tensor
    years: torch.Tensor


def dataset(split, batches, batch_size=8, length=32):
    generator = torch.Generator().manual_seed({"train": 1, "valid": 2, "test": 3}[split])
    made = []
    for number in range(batches):
        years = torch.randint(1, 6, (batch_size,), generator=generator)
        place = torch.linspace(0, 2 * math.pi, length)
        sig = torch.cos(place * years[:, None])
        sig = sig + 0.2 * torch.randn(batch_size, length, generator=generator)
        names = [f"{split}-{number}-{i}" for i in range(batch_size)]
        made.append(RingBatch(names, sig, years - 1))
    return made
