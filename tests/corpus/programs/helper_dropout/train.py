"""Trains a tagger whose dropout is annealed, with an evaluation after each epoch."""

import torch
from evaluation import accuracy
from torch import nn
from torch.nn import functional


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 24)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(24, 4)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.first(x))))


def anneal(model, epoch, epochs):
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.5 * (1 - epoch / epochs)


def main():
    torch.manual_seed(0)
    model = Tagger()
    run = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    data = [(torch.randn(8, 12), torch.randint(4, (8,))) for _ in range(4)]
    for epoch in range(5):
        anneal(model, epoch, 5)
        for x, y in data:
            functional.cross_entropy(run(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
        print(accuracy(model, run, data))


if __name__ == "__main__":
    main()
