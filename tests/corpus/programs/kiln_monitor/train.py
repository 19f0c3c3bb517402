"""Trains the forecast, and tells which layers sleep."""

import logging

import torch
from activity import Activity
from network import KilnNetwork
from torch import nn
from torch.nn import functional


def firing(hours=40, thermocouples=8):
    """A rise, a plateau, a fall, at several places."""
    time = torch.linspace(0, 1, hours)[:, None]
    curve = torch.sigmoid(12 * (time - 0.2)) - torch.sigmoid(9 * (time - 0.8))
    return curve * torch.linspace(0.8, 1.0, thermocouples) + 0.01 * torch.randn(hours, 1)


def main():
    logging.basicConfig(level=logging.WARNING)
    torch.manual_seed(0)
    network = KilnNetwork()
    activity = Activity(network, nn.Linear)
    model = torch.compile(network, backend="eager")
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    hours = firing()
    for epoch in range(4):
        readings, later = hours[:-1], hours[1:]
        predicted = model(readings)
        loss = functional.mse_loss(predicted, later)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch}: {loss.item():.4f}, asleep: {activity.quiet(0.05)}")


if __name__ == "__main__":
    main()
