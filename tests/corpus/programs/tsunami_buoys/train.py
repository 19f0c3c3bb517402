"""Trains on a catalogue of events; after each epoch the reference buoy alone is shown."""

import torch
from torch.nn.functional import smooth_l1_loss
from warner import Warner
from waves import catalogue

REFERENCE = 2


def train_epoch(warn, optimizer, events):
    for pressure, height in events:
        loss = smooth_l1_loss(warn(pressure), height)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(epochs=3):
    torch.manual_seed(0)
    events = catalogue(5)
    warner = Warner()
    warn = torch.compile(warner, backend="eager")
    optimizer = torch.optim.Adam(warner.parameters(), lr=5e-3)
    for epoch in range(epochs):
        train_epoch(warn, optimizer, events)
        pressure, height = events[epoch]
        shown = warn(pressure[REFERENCE])
        print(f"epoch {epoch}: {shown.item():.2f} m, was {height[REFERENCE].item():.2f} m")


if __name__ == "__main__":
    main()
