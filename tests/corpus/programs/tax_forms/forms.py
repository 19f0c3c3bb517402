"""Scanned forms as patches, and what is in their fields."""

import torch
from torch.utils.data import DataLoader, Dataset


class Forms(Dataset):
    def __init__(self, count=32, patches=6, size=10, kinds=4):
        generator = torch.Generator().manual_seed(2)
        self.kinds = torch.randint(0, kinds, (count, patches), generator=generator)
        glyphs = torch.randn(kinds, size, generator=generator)
        noise = torch.randn(count, patches, size, generator=generator)
        self.patches = glyphs[self.kinds] + 0.5 * noise

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, index):
        return {"patches": self.patches[index], "kinds": self.kinds[index]}


def loader(size=4):
    return DataLoader(Forms(), batch_size=size, shuffle=True, drop_last=True)
