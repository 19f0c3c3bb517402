"""An arm of three joints, and where its hand is."""

import torch


def hand(angles, lengths=(1.0, 0.8, 0.5)):
    """The place of the hand; angles: (batch, 3)."""
    total = angles.cumsum(-1)
    size = torch.tensor(lengths)
    return torch.stack([(size * total.cos()).sum(-1), (size * total.sin()).sum(-1)], -1)


def apples(rounds, batch=5, seed=51):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(rounds):
        radius = 0.8 + torch.rand(batch, 1, generator=generator)
        angle = torch.rand(batch, 1, generator=generator) * 3
        yield radius * torch.cat([angle.cos(), angle.sin()], 1)
