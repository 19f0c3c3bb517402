"""Rows of a vineyard: what sensors say through a season, and the harvest."""

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Rows(Dataset):
    def __init__(self, count=40, weeks=12, sensors=3):
        generator = torch.Generator().manual_seed(10)
        self.seasons = torch.randn(count, weeks, sensors, generator=generator).cumsum(1) * 0.3
        self.harvest = self.seasons.mean((1, 2)) + 0.1 * torch.randn(count, generator=generator)

    def __len__(self):
        return len(self.harvest)

    def __getitem__(self, index):
        return {"season": self.seasons[index], "harvest": self.harvest[index]}


def endless(data, size):
    """Batches for ever, with replacement."""
    sampler = RandomSampler(data, replacement=True, num_samples=10**6)
    return iter(DataLoader(data, batch_size=size, sampler=sampler))
