"""Pictures of noodles."""

import torch
from torch.utils.data import Dataset

KINDS = ("udon", "ramen", "soba")


class Bowls(Dataset):
    def __init__(self, count, size=8):
        self.kind = torch.arange(count) % len(KINDS)
        waves = torch.linspace(0, 6, size) * (1 + self.kind[:, None])
        self.picture = waves.sin()[:, None, None, :].repeat(1, 3, size, 1)
        self.picture += 0.2 * torch.randn_like(self.picture)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, number):
        return self.picture[number], self.kind[number]


def mirrored(pictures):
    """As a camera on the other side of the counter sees them, turned by a quarter."""
    return pictures.flip(3).transpose(2, 3)
