"""Winds at heights, and where a balloon gets with them."""

import torch


def flights(count, batch=8, heights=5, seed=9):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        wind = torch.randn(batch, heights, 2, generator=generator)
        plan = torch.rand(batch, heights, generator=generator).softmax(-1)
        yield wind, plan, torch.einsum("bhd,bh->bd", wind, plan)
