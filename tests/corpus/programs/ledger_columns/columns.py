"""A transformer over the columns of a ledger's rows, after TabTransformer."""

from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(3 * width, width)
        self.feed = nn.Linear(width, width)

    def forward(self, x):
        y = self.norm(x)
        around = torch.cat([y, y.mean(1, keepdim=True).expand_as(y), y.roll(1, 1)], 2)
        return x + self.feed(self.mix(around).relu())


class Ledger(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.value = nn.Embedding(config.values + 1, config.width)
        self.column = nn.Parameter(0.1 * torch.randn(config.columns, config.width))
        self.blocks = nn.ModuleList(Block(config.width) for _ in range(config.depth))
        self.told = nn.Linear(config.width, config.values)
        self.run = partial(checkpoint, **config.checkpoint)

    def forward(self, rows):
        hidden = self.value(rows) + self.column
        for block in self.blocks:
            hidden = self.run(block, hidden)
        return self.told(hidden)
