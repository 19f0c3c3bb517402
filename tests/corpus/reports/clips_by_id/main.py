"""Clip ranking: batches are dicts from clip id to features."""
import argparse

import torch
from torch.utils.data import DataLoader

from clips import ClipData, by_id
from ranker import Ranker


class Learner:
    def __init__(self, width, rate):
        self.ranker = Ranker(width)
        self.fast = torch.compile(self.ranker, backend="eager")
        self.optimizer = torch.optim.Adam(self.ranker.parameters(), lr=rate)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            total = 0.0
            for batch in loader:
                scores = self.fast(batch["features"])
                goal = torch.stack([batch["goals"][key] for key in sorted(batch["goals"])])
                loss = (scores - goal).square().mean()
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
                total += loss.item()
            yield epoch, total / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(52)
    loader = DataLoader(ClipData(24, 6), batch_size=options.batch, collate_fn=by_id, shuffle=True)
    learner = Learner(6, 0.01)
    for epoch, loss in learner.fit(loader, options.epochs):
        print("epoch %d loss %.5f" % (epoch, loss))
    print("FINAL %.5f" % loss)


if __name__ == "__main__":
    main()
