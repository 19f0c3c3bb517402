"""Image classifier: drop the last batch in training, pad it in evaluation."""
import argparse

import torch
from torch.utils.data import DataLoader

from data import Spots, padded
from net import Net


class Engine:
    def __init__(self, rate):
        torch.manual_seed(34)
        self.net = Net(4)
        self.fast = torch.compile(self.net, backend="eager")
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=rate)
        self.criterion = torch.nn.CrossEntropyLoss(reduction="none")

    def train(self, loader):
        self.net.train()
        total = 0.0
        for x, y in loader:
            loss = self.criterion(self.fast(x), y).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def evaluate(self, loader, batch):
        self.net.eval()
        right = count = 0
        for x, y in loader:
            rows = x.shape[0]
            scores = self.fast(padded(x, batch))[:rows]
            right += (scores.argmax(1) == y).sum().item()
            count += rows
        return right / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    engine = Engine(0.01)
    train = DataLoader(Spots(70, 1), batch_size=options.batch, shuffle=True, drop_last=True)
    test = DataLoader(Spots(41, 2), batch_size=options.batch)
    for epoch in range(options.epochs):
        loss = engine.train(train)
        print("epoch %d loss %.4f right %.3f" % (epoch, loss, engine.evaluate(test, options.batch)))


if __name__ == "__main__":
    main()
