"""Finds the row of the puzzle that a piece is from."""

import random

import torch
from heads import HEADS
from torch import nn
from torch._dynamo import compiled_autograd

SIZE, ROWS = 6, 5


class Pieces(nn.Module):
    """Sums what several heads see, in an order that must not matter."""

    def __init__(self, width=8, seed=0):
        super().__init__()
        self.heads = nn.ModuleDict({name: make(SIZE, width) for name, make in HEADS.items()})
        self.out = nn.Linear(width, ROWS)
        self.draw = random.Random(seed)

    def forward(self, piece):
        names = self.draw.sample(list(self.heads), len(self.heads))
        seen = sum(self.heads[name](piece) for name in names)
        return self.out(seen)


class Box:
    def __init__(self, pieces):
        row = torch.arange(pieces) % ROWS
        self.row = row[torch.randperm(pieces)]
        self.piece = torch.rand(pieces, 3, SIZE, SIZE) + self.row.view(-1, 1, 1, 1) / ROWS

    def handfuls(self, size):
        yield from zip(self.piece.split(size), self.row.split(size), strict=True)


def main(epochs=2):
    torch.manual_seed(34)
    model, box = Pieces(), Box(50)
    optimizer = torch.optim.Adamax(model.parameters())
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            for piece, row in box.handfuls(10):
                loss = nn.functional.cross_entropy(model(piece), row, label_smoothing=0.1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
