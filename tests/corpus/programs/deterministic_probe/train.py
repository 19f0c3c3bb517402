"""Trains an encoder of signals; every few steps a fingerprint is taken."""

import torch
from reproducible import Fingerprints, reproducible
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Encoder(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(1 if i == 0 else width, width, 3) for i in range(3))
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        for layer in self.layers:
            x = functional.avg_pool1d(layer(x).relu(), 2)
        return self.head(x.mean(2))


class Run:
    def __init__(self, model, prints):
        self.model, self.prints = model, prints
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

    def step(self, number, x, y):
        self.optimizer.zero_grad()
        with reproducible(self.prints.wanted(number)):
            functional.cross_entropy(self.model(x), y).backward()
        self.prints.take(number, self.model)
        self.optimizer.step()


def main():
    torch.manual_seed(0)
    run = Run(Encoder(), Fingerprints(every=4))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for number in range(9):
            run.step(number, torch.randn(6, 1, 40), torch.randint(0, 4, (6,)))


if __name__ == "__main__":
    main()
