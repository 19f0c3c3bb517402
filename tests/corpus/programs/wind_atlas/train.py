"""Trains on the atlas of a windy coast."""

import torch
from featurizers import HEIGHTS, AtHubs, Featurizer, Shear
from model import PowerModel

HOURS = 12


def days(count):
    log_heights = torch.tensor(HEIGHTS).log()
    for _ in range(count):
        base = 4 + torch.randn(HOURS + 1, 1).cumsum(0).mul(0.4)
        profiles = base * (0.6 + 0.1 * log_heights) + 0.1 * torch.randn(HOURS + 1, len(HEIGHTS))
        power = torch.sigmoid(profiles[-1, 3] - 6)
        yield profiles[:-1], power


def main():
    torch.manual_seed(0)
    network = PowerModel([Featurizer(), Shear(), AtHubs()])
    model = torch.compile(network, backend="eager")
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    for day, (profiles, produced) in enumerate(days(8)):
        power = model(profiles)
        loss = (power.sigmoid() - produced).square()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"day {day}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
