"""Cosine schedule with warm-up, written by hand, around a compiled optimizer step."""
import argparse
import math
from dataclasses import dataclass

import torch
from torch import nn

from schedule import CosineSchedule


@dataclass
class Setup:
    steps: int = 12
    warmup: int = 3
    peak: float = 0.02
    floor: float = 0.002


class Run:
    def __init__(self, setup):
        self.setup = setup
        torch.manual_seed(23)
        self.net = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 1))
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=torch.tensor(setup.peak),
                                           weight_decay=0.01)
        self.schedule = CosineSchedule(setup)
        self.apply = torch.compile(self.update, backend="eager")

    def update(self):
        self.optimizer.step()

    def step(self, index):
        self.schedule.set(self.optimizer, index)
        x = torch.randn(32, 6)
        loss = (self.net(x) - x.mean(1, keepdim=True)).square().mean()
        loss.backward()
        self.apply()
        self.optimizer.zero_grad()
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    run = Run(Setup(steps=options.steps))
    loss = math.nan
    for index in range(options.steps):
        loss = run.step(index)
        if index % 4 == 0:
            print("step %d loss %.5f" % (index, loss))
    print("FINAL %.5f" % loss)


if __name__ == "__main__":
    main()
