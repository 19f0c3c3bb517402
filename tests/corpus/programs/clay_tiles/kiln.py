"""Tiles as they come out of the kiln, and their cracks."""

import numpy as np
import torch


def firing(tiles, size, rng):
    heat = rng.uniform(900, 1100, (tiles, 1, 1, 1))
    clay = rng.normal(0, 1, (tiles, 2, size, size))
    cracks = np.abs(clay).max((1, 2, 3)) * (heat[:, 0, 0, 0] / 1000)
    return torch.from_numpy(clay).float(), torch.from_numpy(cracks).float()


class Firings:
    def __init__(self, count, tiles=6, size=6, seed=0):
        self.count, self.tiles, self.size, self.seed = count, tiles, size, seed

    def __len__(self):
        return self.count

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        return (firing(self.tiles, self.size, rng) for _ in range(self.count))
