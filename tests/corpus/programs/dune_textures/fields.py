"""Height maps of dunes."""

import torch


def heights(count, batch=5, side=12, seed=41):
    generator = torch.Generator().manual_seed(seed)
    rows = torch.linspace(0, 9, side)
    for _ in range(count):
        phase = torch.rand(batch, 1, 1, generator=generator) * 6
        yield (rows.view(1, -1, 1) + phase).sin() + 0.1 * rows.cos()
