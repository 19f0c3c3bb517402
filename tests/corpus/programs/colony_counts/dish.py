"""Dishes with colonies, as histograms of their sizes."""

import torch


class Dishes(torch.utils.data.Dataset):
    def __init__(self, count, bins=10):
        rate = torch.rand(count, 1) * 4
        self.histograms = torch.poisson(rate.expand(count, bins) * torch.linspace(2, 0.2, bins))
        self.counts = self.histograms.sum(1)

    def __len__(self):
        return len(self.counts)

    def __getitem__(self, index):
        return self.histograms[index], self.counts[index]
