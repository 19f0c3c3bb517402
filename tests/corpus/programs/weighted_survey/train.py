"""Trains wave after wave."""

from collections import defaultdict

import torch
from model import IncomeModel, weighted_mean
from survey import loaders


class History:
    def __init__(self):
        self.losses = defaultdict(list)

    def add(self, wave, loss):
        self.losses[wave].append(loss.detach())

    def summary(self):
        return {wave: float(weighted_mean(losses)) for wave, losses in self.losses.items()}


def main(epochs=2):
    torch.manual_seed(0)
    model = IncomeModel()
    model.compile(backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    history = History()
    for _ in range(epochs):
        for name, loader in loaders(batch=8):
            for batch in loader:
                loss = model(batch)["loss"]
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                history.add(name, loss)
    return history.summary()


if __name__ == "__main__":
    main()
