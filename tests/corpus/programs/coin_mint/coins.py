"""Images of coins from several mints, a few crops of each."""

import torch

CROPS = 3


def lots(count, coins=10, pixels=25, seed=15):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        year = torch.rand(coins, generator=generator)
        crops = torch.randn(CROPS, coins, pixels, generator=generator)
        crops[..., 0] += year * 3
        yield crops, year
