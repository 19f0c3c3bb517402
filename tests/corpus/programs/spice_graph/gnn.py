"""A relational graph network."""

import torch
from torch import nn


class Relational(nn.Module):
    def __init__(self, width, relations):
        super().__init__()
        self.own = nn.Linear(width, width)
        self.from_neighbours = nn.ParameterList(
            nn.Parameter(torch.randn(width, width) / width**0.5) for _ in range(relations)
        )

    def forward(self, x, graph):
        total = self.own(x)
        for weight, (source, target) in zip(self.from_neighbours, graph, strict=False):
            total = total.index_add(0, target, x[source] @ weight)
        return torch.tanh(total)


class SpiceNet(nn.Module):
    def __init__(self, spices=30, width=12, relations=3, depth=2):
        super().__init__()
        self.start = nn.Embedding(spices, width)
        self.layers = nn.ModuleList(Relational(width, relations) for _ in range(depth))
        self.demand = nn.Linear(width, 1)

    def forward(self, graph):
        x = self.start.weight
        for layer in self.layers:
            x = layer(x, graph)
        sold = torch.unique(graph[0][1])
        rare = x.index_fill(0, sold, 0.0).norm()
        return self.demand(x).squeeze(-1), rare
