"""Training with an exact metric that is summed in double precision."""
import argparse

import torch

from metrics import ExactMean
from model import Regressor


class Fit:
    def __init__(self, width):
        torch.manual_seed(61)
        self.model = Regressor(width)
        self.forward = torch.compile(self.model, backend="eager")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.metric = ExactMean(every=3)

    def step(self, x, y):
        guess = self.forward(x)
        loss = (guess - y).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.metric.add(loss.detach())
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=9)
    options = parser.parse_args()
    fit = Fit(4)
    generator = torch.Generator().manual_seed(61)
    for index in range(options.steps):
        x = torch.randn(10, 4, generator=generator, dtype=torch.float32)
        loss = fit.step(x, x.sum(1, keepdim=True))
    print("FINAL %.5f metric %.5f" % (loss, fit.metric.value()))


if __name__ == "__main__":
    main()
