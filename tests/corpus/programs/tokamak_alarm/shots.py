"""Shots of a tokamak, and whether the plasma disrupted."""

import torch


class Shots(torch.utils.data.Dataset):
    def __init__(self, count=48, diagnostics=7, samples=12, seed=13):
        generator = torch.Generator().manual_seed(seed)
        self.disrupted = (torch.rand(count, generator=generator) < 0.3).float()
        drift = self.disrupted.view(-1, 1, 1) * torch.linspace(0, 2, samples).view(1, -1, 1)
        self.signals = drift + torch.randn(count, samples, diagnostics, generator=generator)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        return self.signals[index], self.disrupted[index]
