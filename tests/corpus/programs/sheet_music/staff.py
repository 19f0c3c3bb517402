"""Images of staves, and how many notes are on each line."""

import torch


def staves(count, batch=4, lines=5, width=12, seed=1):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        notes = (torch.rand(batch, lines, width, generator=generator) > 0.8).float()
        noise = 0.2 * torch.randn(batch, lines, width, generator=generator)
        yield {"image": notes + noise, "count": notes.sum(-1)}
