"""Aerial tiles of roofs, before and after a storm."""

import torch


def synthesise(n, seed):
    g = torch.Generator().manual_seed(seed)
    tiles = torch.rand(n, 3, 16, 16, generator=g)
    cost = torch.rand(n, generator=g) * 3
    tiles[:, 0] += cost[:, None, None] / 3
    kind = (cost > 1.5).long() + (tiles[:, 1].mean((1, 2)) > 0.5).long()
    return tiles, cost, kind


class TileLoader:
    def __init__(self, n=72, batch_size=12, seed=0):
        self.columns = synthesise(n, seed)
        self.batch_size = batch_size
        self.n = n

    def __iter__(self):
        for start in range(0, self.n, self.batch_size):
            tiles, cost, kind = (c[start : start + self.batch_size] for c in self.columns)
            yield {"tiles": tiles, "cost": cost, "kind": kind}
