"""A network that grows: new hidden units when the loss stalls."""
import argparse

import torch

from grow import Growth
from net import GrowingNet


class Learner:
    def __init__(self, growth):
        torch.manual_seed(25)
        self.net = GrowingNet(inputs=3, hidden=4)
        self.growth = growth
        self.fast = torch.compile(self.net, backend="eager")
        self.renew()

    def renew(self):
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def epoch(self, number):
        total = 0.0
        for _ in range(3):
            x = torch.randn(20, 3)
            loss = (self.fast(x) - (x[:, :1] * x[:, 1:2])).square().mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            total += loss.item()
        if self.growth.due(number):
            self.net.widen(self.growth.units)
            self.renew()
        return total / 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=7)
    options = parser.parse_args()
    learner = Learner(Growth(every=1, units=2))
    for number in range(options.epochs):
        loss = learner.epoch(number)
    print("units", learner.net.hidden.out_features)
    print("FINAL %.5f" % loss)


if __name__ == "__main__":
    main()
