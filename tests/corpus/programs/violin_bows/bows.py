"""Short force curves of bow strokes, and how bright the tone was judged."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def strokes(count: int = 64, samples: int = 24, seed: int = 5) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    force = torch.randn(count, samples, generator=g).cumsum(1)
    brightness = torch.tanh(force[:, -4:].mean(1) / 4) + 0.05 * torch.randn(count, generator=g)
    return TensorDataset(force, brightness)


def loader(batch: int = 8) -> DataLoader:
    return DataLoader(strokes(), batch_size=batch, shuffle=True, drop_last=True)
