"""Names bats by their calls."""

import torch
from recordings import nights
from telemetry import Telemetry
from torch import nn
from torch._dynamo import compiled_autograd


def classifier(bands=16, width=10, species=4):
    return nn.Sequential(nn.Linear(bands, width), nn.SELU(), nn.Linear(width, species))


def fit(model, data, optimizer):
    for spectra, species in data:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(spectra), species)
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    model, telemetry = classifier(), Telemetry()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")), telemetry.on(model[2]):
        fit(model, nights(2), optimizer)


if __name__ == "__main__":
    main()
