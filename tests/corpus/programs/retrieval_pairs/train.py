"""Scores queries against candidates; the first steps compare a batch with itself."""

import torch
from torch import nn
from torch.nn import functional


class TwoTower(nn.Module):
    def __init__(self, features=8, width=12):
        super().__init__()
        self.query = nn.Linear(features, width)
        self.candidate = nn.Linear(features, width)

    def forward(self, queries, candidates):
        return self.query(queries) @ self.candidate(candidates).T


def main():
    torch.manual_seed(0)
    towers = TwoTower()
    compiled = torch.compile(towers, backend="eager")
    optimizer = torch.optim.SGD(towers.parameters(), lr=0.1)
    for step in range(8):
        queries = torch.randn(10, 8)
        candidates = queries if step < 2 else queries + 0.1 * torch.randn(10, 8)
        loss = functional.cross_entropy(compiled(queries, candidates), torch.arange(10))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
