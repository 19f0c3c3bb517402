"""Trains a score of beaches from what lies there."""

import torch
from bags import BagScorer
from surveys import loader


def epochs(count, data):
    for _ in range(count):
        yield from data


def main():
    torch.manual_seed(0)
    scorer = BagScorer()
    compiled = torch.compile(scorer, backend="eager")
    optimizer = torch.optim.Adam(scorer.parameters(), lr=1e-2)
    for batch in epochs(3, loader()):
        predicted = compiled(batch["items"], batch["lengths"])
        loss = (predicted - batch["score"]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
