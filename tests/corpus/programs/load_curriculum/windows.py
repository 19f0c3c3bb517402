"""Windows over the load of a power grid."""

import torch
from torch.utils.data import Dataset


class LoadWindows(Dataset):
    def __init__(self, hours=160, history=24, horizon=10):
        time = torch.arange(hours, dtype=torch.float32)
        self.load = torch.sin(time * torch.pi / 12) + 0.3 * torch.sin(time * torch.pi / 84)
        self.load += 0.05 * torch.randn(hours)
        self.history, self.horizon = history, horizon

    def __len__(self):
        return (len(self.load) - self.history - self.horizon) // 4

    def __getitem__(self, index):
        start = 4 * index
        seen = self.load[start : start + self.history]
        first = start + self.history
        return seen, self.load[first : first + self.horizon]
