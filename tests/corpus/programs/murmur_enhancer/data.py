import math

import torch
from torch.utils.data import Dataset


class Murmurs(Dataset):
    """Synthetic voices (a few harmonics) with noise mixed in at a random SNR."""

    def __init__(self, n=88, samples=1024, sr=8000, seed=0):
        self.n, self.samples, self.sr, self.seed = n, samples, sr, seed

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed * 10007 + i)
        f0 = 90 + 120 * torch.rand(1, generator=g)
        t = torch.arange(self.samples) / self.sr
        clean = sum(torch.sin(2 * math.pi * f0 * k * t) / k for k in range(1, 5))
        snr_db = -5 + 15 * torch.rand(1, generator=g)
        noise = torch.randn(self.samples, generator=g)
        gain = clean.std() / noise.std() * 10 ** (-snr_db / 20)
        return clean + gain * noise, clean
