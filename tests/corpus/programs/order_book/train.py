"""Predicts the next move of a price."""

import torch
from data import Days
from features import depth, imbalance
from torch import nn


class Mover(nn.Module):
    def __init__(self, levels=5, width=12):
        super().__init__()
        self.levels = levels
        self.body = nn.Sequential(nn.Linear(levels + 2, width), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(width, 1)

    def forward(self, book):
        found = torch.cat([imbalance(book), depth(book, self.levels)], -1)
        return self.head(self.body(found)).squeeze(-1)


def main():
    torch.manual_seed(0)
    mover = Mover()
    compiled = torch.compile(mover, backend="aot_eager")
    optimizer = torch.optim.Adam(mover.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for _epoch in range(2):
        for book, moves in Days(2):
            loss = nn.functional.soft_margin_loss(compiled(book), moves.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()


if __name__ == "__main__":
    main()
