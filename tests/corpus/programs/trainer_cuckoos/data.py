"""Calls of three species in a marsh, as log-mel-like patches."""

import torch
from torch.utils.data import Dataset

LABELS = ["cuckoo", "bittern", "warbler"]


class Calls(Dataset):
    def __init__(self, n, bands=16, frames=32, seed=0, augment=False):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(LABELS), (n,), generator=g)
        time = torch.linspace(0, 1, frames).view(1, -1, 1)
        band = torch.arange(bands).view(1, 1, -1)
        rate = 2.0 + 4.0 * self.labels.view(-1, 1, 1)
        centre = bands / 2 + bands / 3 * torch.sin(2 * torch.pi * rate * time)
        self.values = torch.exp(-((band - centre) ** 2) / 4)
        self.values += 0.2 * torch.randn(n, frames, bands, generator=g)
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        values = self.values[index]
        if self.augment and torch.rand(()) < 0.5:  # a call may begin anywhere
            values = values.roll(int(torch.randint(len(values), ())), dims=0)
        return {"input_values": values, "labels": self.labels[index]}


def collate(items):
    return {
        "input_values": torch.stack([item["input_values"] for item in items]),
        "labels": torch.stack([item["labels"] for item in items]),
    }
