"""Trains an autoencoder; gradients are bounded by hooks that live for one step."""

import torch
from probe import bounding
from torch import nn
from torch.nn import functional


def main():
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(16, 6), nn.ELU(), nn.Linear(6, 16))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(8):
        signals = torch.randn(10, 16)
        optimizer.zero_grad()
        with bounding(model.parameters()):
            functional.mse_loss(model(signals), signals).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
