"""A network over the columns of a table."""

import torch
from torch import nn


class TabularNet(nn.Module):
    def __init__(self, names, width=16):
        super().__init__()
        self.columns = nn.ModuleDict({name: nn.Linear(1, width) for name in names})
        self.norm = nn.LayerNorm(width)
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, batch):
        parts = []
        for name, values in batch.items():
            if name in self.columns:
                parts.append(self.columns[name](values.float().unsqueeze(1) / 100))
        return self.head(self.norm(torch.stack(parts).sum(0))).squeeze(1)
