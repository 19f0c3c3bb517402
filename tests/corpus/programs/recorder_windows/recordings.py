"""Recordings of a recorder, cut into windows of equal length."""

import torch
from torch.utils.data import Dataset


class Recordings(Dataset):
    def __init__(self, count=12, windows=4, length=5, bands=12, pitches=6):
        self.windows, self.length = windows, length
        self.pitches = torch.randint(0, pitches, (count, windows * length))
        self.frames = torch.randn(count, windows * length, bands)
        self.frames[..., :pitches] += torch.eye(pitches)[self.pitches]

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        return self.frames[index], self.pitches[index]

    def cut(self, batch):
        frames, pitches = batch
        for start in range(0, self.windows * self.length, self.length):
            yield frames[:, start : start + self.length], pitches[:, start : start + self.length]
