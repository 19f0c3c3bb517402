"""Names the pattern of failures on a wafer."""

import torch
from dropblock import DropBlock, LinearRamp
from torch import nn
from wafers import PATTERNS, lots


def network(width=6):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.ReLU(),
        DropBlock(),
        nn.Conv2d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(2),
        nn.Flatten(),
        nn.Linear(4 * width, len(PATTERNS)),
    )


def smooth(values, rate=0.2):
    current = None
    for value in values:
        current = value if current is None else (1 - rate) * current + rate * value
        yield current


class Trainer:
    def __init__(self, epochs=4, lots_per_epoch=3):
        self.epochs, self.lots_per_epoch = epochs, lots_per_epoch
        self.model = network()
        self.ramp = LinearRamp(self.model, final=0.3, steps=epochs)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)

    def losses(self):
        for _ in range(self.epochs):
            for maps, patterns in lots(self.lots_per_epoch):
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(maps), patterns)
                loss.backward()
                self.optimizer.step()
                yield loss.item()
            self.ramp.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    *_, smoothed = smooth(Trainer().losses())
    print(f"{smoothed:.2f}")
