"""Estimates how much of a rock lichen covers."""

import torch
from robust import Sensitivity
from rocks import loaders
from torch import nn
from torch._dynamo import compiled_autograd


def regressor(bands=10, width=8):
    return nn.Sequential(
        nn.Linear(bands, width), nn.Softsign(), nn.Linear(width, 1), nn.Sigmoid(), nn.Flatten(0)
    )


@torch.no_grad()
def error(model, loader):
    return sum((model(spectra) - cover).abs().mean().item() for spectra, cover in loader)


def epoch(model, optimizer, loader, sensitivity=None):
    for spectra, cover in loader:
        if sensitivity is not None:
            spectra = sensitivity.watch(spectra)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(spectra), cover)
        loss.backward()
        optimizer.step()
        if sensitivity is not None:
            sensitivity.gather(spectra)


def main(epochs=4, size=8):
    torch.manual_seed(0)
    model, (train, check) = regressor(), loaders(size)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    last = Sensitivity(bands=10)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for number in range(epochs):
            epoch(model, optimizer, train, last if number == epochs - 1 else None)
            error(model, check)


if __name__ == "__main__":
    main()
