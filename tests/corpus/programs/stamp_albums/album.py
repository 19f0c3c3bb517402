"""Stamps of an album, in batches that are all full."""

import torch
from torch.utils.data import DataLoader, Dataset


class Album(Dataset):
    def __init__(self, count, size=8):
        self.stamps = torch.rand(count, 1, size, size)

    def __len__(self):
        return len(self.stamps)

    def __getitem__(self, number):
        return self.stamps[number], number


def pages(album, batch, shuffle=True):
    return DataLoader(album, batch_size=batch, shuffle=shuffle, drop_last=True)
