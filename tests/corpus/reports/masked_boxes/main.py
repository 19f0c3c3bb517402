"""Box regression head with a generalized IoU loss."""
import argparse

import torch

from boxes import make_batch
from losses import BoxLoss
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 24), nn.ReLU(), nn.Linear(24, 4))

    def forward(self, x):
        corner, size = self.body(x).chunk(2, -1)
        return torch.cat([corner, corner + size], -1)


class Learner:
    def __init__(self, width):
        self.head = Head(width)
        self.criterion = BoxLoss(reduction="mean")
        self.forward = torch.compile(self.compute, backend="eager")
        self.optimizer = torch.optim.Adam(self.head.parameters(), lr=0.01)

    def compute(self, x, target):
        guess = self.head(x)
        return self.criterion(guess, target)

    def step(self, x, target):
        loss = self.forward(x, target)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args()
    torch.manual_seed(2)
    learner = Learner(6)
    for step in range(options.steps):
        loss = learner.step(*make_batch(step))
        print("step %d loss %.4f" % (step, loss))


if __name__ == "__main__":
    main()
