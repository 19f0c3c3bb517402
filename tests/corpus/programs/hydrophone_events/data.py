"""Segments of a hydrophone's recordings, made up."""

import math

import torch
from torch.utils.data import DataLoader, Dataset


class Segments(Dataset):
    def __init__(self, n, hparams, seed):
        self.length = int(hparams["sample_rate"] * hparams["segment_seconds"])
        self.rate = hparams["sample_rate"]
        self.n_labels = len(hparams["labels"])
        self.n, self.seed = n, seed

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(self.seed + index)
        label = index % self.n_labels
        # what was recorded is longer or shorter than a segment
        seconds = 0.25 + 0.3 * torch.rand((), generator=g).item()
        t = torch.arange(int(seconds * self.rate)) / self.rate
        signal = 0.1 * torch.randn(len(t), generator=g)
        if label == 1:
            signal[:: len(t) // 7] += 3.0
        elif label == 2:
            signal += torch.sin(2 * math.pi * (300 + 400 * t) * t)
        elif label == 3:
            signal += torch.sin(2 * math.pi * 60 * t).sign()
        return signal, label


class Collate:
    """Cut or fill with zeros to the length of a segment."""

    def __init__(self, length):
        self.length = length

    def __call__(self, items):
        batch = torch.zeros(len(items), self.length)
        for row, (signal, _) in zip(batch, items, strict=True):
            part = signal[: self.length]
            row[: len(part)] = part
        return batch, torch.tensor([label for _, label in items])


def make_loaders(hparams):
    train = Segments(hparams["n_train"], hparams, seed=0)
    valid = Segments(hparams["n_valid"], hparams, seed=10_000)
    options = {"batch_size": hparams["batch_size"], "collate_fn": Collate(train.length)}
    return DataLoader(train, shuffle=True, **options), DataLoader(valid, **options)
