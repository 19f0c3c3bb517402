"""Painted tiles: four-fold symmetric patterns in blue and white."""

import torch
from torch.utils.data import Dataset


class Tiles(Dataset):
    def __init__(self, n=64, size=8, seed=0):
        g = torch.Generator().manual_seed(seed)
        corner = torch.rand(n, 3, size // 4, size // 4, generator=g).repeat_interleave(2, -1)
        corner = corner.repeat_interleave(2, -2)
        half = torch.cat([corner, corner.flip(-1)], -1)
        self.images = torch.cat([half, half.flip(-2)], -2) * 2 - 1

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i]
