"""Message passing with sums."""

import torch
from torch import nn


class Pass(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message = nn.Linear(2 * width, width)
        self.update = nn.Linear(2 * width, width)

    def forward(self, nodes, bonds):
        source, sink = bonds
        messages = self.message(torch.cat([nodes[source], nodes[sink]], 1)).relu()
        gathered = torch.zeros_like(nodes).index_add(0, sink, messages)
        return nodes + self.update(torch.cat([nodes, gathered], 1)).relu()


class Gnn(nn.Module):
    def __init__(self, kinds=6, width=45, depth=2):
        super().__init__()
        self.embed = nn.Embedding(kinds, width)
        self.passes = nn.ModuleList(Pass(width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, batch):
        nodes = self.embed(batch.atoms)
        for one in self.passes:
            nodes = one(nodes, batch.bonds)
        pooled = torch.zeros(len(batch.target), nodes.shape[1]).index_add(0, batch.owner, nodes)
        return self.head(pooled).squeeze(1)
