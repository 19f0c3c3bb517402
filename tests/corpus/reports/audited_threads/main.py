"""Forecaster training with a pre-processing cache that is rebuilt between epochs."""
import argparse

import torch

from audit import Audit
from features import FeatureStore
from net import Forecaster


class Experiment:
    def __init__(self, options):
        torch.set_num_threads(2)
        torch.manual_seed(77)
        self.store = FeatureStore(rows=24, width=6)
        self.audit = Audit(every=2)
        self.net = Forecaster(6)
        self.fast = torch.compile(self.net, backend="eager")
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.epochs = options.epochs

    def run(self):
        for epoch in range(self.epochs):
            total = 0.0
            for x, y in self.store.batches(epoch):
                loss = (self.fast(x) - y).square().mean()
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
                total += loss.item()
            self.audit.after_epoch(epoch, self.net, self.store)
            yield epoch, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    experiment = Experiment(parser.parse_args())
    for epoch, total in experiment.run():
        print("epoch %d loss %.4f" % (epoch, total))


if __name__ == "__main__":
    main()
