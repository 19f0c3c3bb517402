"""Abalone-like measurements: length, diameter, height, four weights, and the rings."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_split(count: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    size = torch.rand(count, 1, generator=g)
    x = torch.cat([size**p + 0.05 * torch.randn(count, 1, generator=g) for p in range(1, 8)], 1)
    rings = 3 + 12 * size.squeeze(1) + torch.randn(count, generator=g)
    return TensorDataset(x, rings)


def get_loaders(batch_size: int) -> tuple[DataLoader, DataLoader]:
    train = DataLoader(make_split(200, 0), batch_size, shuffle=True, drop_last=True)
    valid = DataLoader(make_split(64, 1), batch_size)
    return train, valid


class RingNet(nn.Module):
    def __init__(self, hidden: int = 32, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(7)
        self.body = nn.Sequential(
            nn.Linear(7, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(self.norm(x)).squeeze(-1)
