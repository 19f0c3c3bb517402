"""Codas: click times of sperm whales, of any number of clicks up to a bound."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, random_split

BOUND = 14


class Codas(Dataset):
    def __init__(self, count, seed=0):
        rng = np.random.default_rng(seed)
        self.clan = rng.integers(3, size=count)
        self.gaps = [rng.gamma(2 + c, 0.1, size=rng.integers(5, BOUND + 1)) for c in self.clan]

    def __len__(self):
        return len(self.gaps)

    def __getitem__(self, index):
        return self.gaps[index], int(self.clan[index])


def collate(items):
    """Everything is padded to the bound, with a mask."""
    gaps = torch.zeros(len(items), BOUND)
    mask = torch.zeros(len(items), BOUND, dtype=torch.bool)
    for row, (times, _) in enumerate(items):
        gaps[row, : len(times)] = torch.from_numpy(times)
        mask[row, : len(times)] = True
    return gaps, mask, torch.tensor([clan for _, clan in items])


def loaders(count=90, batch=10):
    learn, check = random_split(Codas(count), [count - 22, 22])
    common = {"batch_size": batch, "collate_fn": collate, "drop_last": True}
    return DataLoader(learn, shuffle=True, **common), DataLoader(check, **common)
