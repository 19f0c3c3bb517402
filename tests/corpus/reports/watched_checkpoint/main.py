"""Language-model stub with activation checkpointing and a watch on one layer."""
import argparse
from dataclasses import dataclass

import torch

from model import Model
from watch import Watch


@dataclass
class Config:
    width: int = 12
    depth: int = 3
    checkpoint: bool = True
    steps: int = 3


def train(config, watch):
    torch.manual_seed(19)
    model = Model(config, watch)
    fast = torch.compile(model, backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    last = 0.0
    for step in range(config.steps):
        x = torch.randn(4, config.width)
        loss = fast(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        last = loss.item()
    return last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    print("FINAL %.5f" % train(Config(steps=options.steps), Watch(limit=1e3)))


if __name__ == "__main__":
    main()
