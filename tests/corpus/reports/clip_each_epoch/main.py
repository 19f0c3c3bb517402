"""Training with gradient clipping done in hooks, right when a gradient is ready."""
import argparse

import torch
from torch import nn

from clipping import HookClipper
from events import Events


class Fit:
    def __init__(self, events):
        torch.manual_seed(71)
        self.net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
        self.events = events
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def epoch(self, number):
        self.events.fire("epoch_start", self.net, number)
        total = 0.0
        for _ in range(3):
            x = torch.randn(16, 5)
            loss = (self.net(x) - x[:, :1]).square().mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            total += loss.item()
        self.events.fire("epoch_end", self.net, number)
        return total / 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--clip", type=float, default=0.5)
    options = parser.parse_args()
    events = Events()
    clipper = HookClipper(options.clip)
    events.on("epoch_start", clipper.install)
    fit = Fit(events)
    for number in range(options.epochs):
        print("epoch %d loss %.5f" % (number, fit.epoch(number)))
    print("FINAL done")


if __name__ == "__main__":
    main()
