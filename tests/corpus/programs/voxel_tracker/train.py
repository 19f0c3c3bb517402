"""Trains the tracker; the weights get sharper."""

import settings
import torch
from model import Tracker


def main(rounds=3, steps=3):
    torch.manual_seed(0)
    tracker = Tracker()
    compiled = torch.compile(tracker, backend="eager")
    optimizer = torch.optim.Adam(tracker.parameters(), lr=1e-2)
    for _ in range(rounds):
        for _ in range(steps):
            points = torch.rand(20, 3)
            loss = (compiled(points) - points.mean(1)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        settings.sharpen()


if __name__ == "__main__":
    main()
