"""Cutouts of galaxies around their brightest pixel, in random orientation."""

import torch
from torch.utils.data import DataLoader, Dataset


class Cutouts(Dataset):
    def __init__(self, count=40, size=10):
        generator = torch.Generator().manual_seed(4)
        self.images = torch.randn(count, 2, size, size, generator=generator).abs()
        self.shapes = torch.rand(count, 2, generator=generator)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return {"image": self.images[index], "shape": self.shapes[index]}


class Quarter:
    """Turns a batch by a random number of quarters, and its shapes with it."""

    def __init__(self, seed=1):
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, batch):
        quarters = int(torch.randint(0, 4, (), generator=self.generator))
        sign = -1.0 if quarters % 2 else 1.0
        return {
            "image": batch["image"].rot90(quarters, dims=(2, 3)),
            "shape": sign * batch["shape"],
        }


def batches(data, size, transforms=()):
    for batch in DataLoader(data, batch_size=size, shuffle=True, drop_last=True):
        for transform in transforms:
            batch = transform(batch)
        yield batch
