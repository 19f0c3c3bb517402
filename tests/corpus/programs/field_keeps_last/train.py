"""Fit a curve; what the loader is made with stands in a settings object."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class LoaderSettings:
    batch_size: int = 16
    shuffle: bool = True
    drop_last: bool = False


def make_loader(rows, settings):
    return DataLoader(
        rows,
        batch_size=settings.batch_size,
        shuffle=settings.shuffle,
        drop_last=settings.drop_last,
    )


def main():
    torch.manual_seed(5)
    x = torch.linspace(-2, 2, 70)[:, None]
    loader = make_loader(TensorDataset(x, x.sin()), LoaderSettings())
    net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(3):
        for inputs, targets in loader:
            loss = nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
