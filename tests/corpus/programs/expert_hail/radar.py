"""Columns of weather radar, and how large the hail was that fell from them."""

import torch

REGIMES = torch.tensor([[2.0, 0, 0, 1, 0, 0], [0, 2.0, 0, 0, 1, 0], [0, 0, 2.0, 0, 0, 1]])


def days(count, columns=12, seed=8):
    generator = torch.Generator().manual_seed(seed)
    for day in range(count):
        # A front brings one regime, a quiet day some of each.
        mixed = torch.randint(3, (columns,), generator=generator)
        regime = mixed if day % 3 else torch.full((columns,), day // 3 % 3)
        x = REGIMES[regime] + 0.5 * torch.randn(columns, 6, generator=generator)
        yield x, (x[:, 0] - x[:, 1] * x[:, 4]).relu()
