from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class TowerConfig:
    width: int = 512
    drop_first: float = 0.05
    drop_last: float = 0.2
    depth: int = 3

    def rates(self):
        gap = (self.drop_last - self.drop_first) / max(1, self.depth - 1)
        return [self.drop_first + gap * i for i in range(self.depth)]


def drop_rows(x, rate, training):
    """Stochastic depth: whole rows are zeroed."""
    if not training or rate == 0.0:
        return x
    keep = 1.0 - rate
    noise = torch.empty(x.shape[0], 1).bernoulli_(keep)
    return x * noise / keep


class Block(nn.Module):
    def __init__(self, width, rate):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.rate = rate

    def forward(self, x):
        x = x + drop_rows(self.first(x), self.rate, self.training)
        return x + drop_rows(self.second(x), self.rate, self.training)


class Tower(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.blocks = nn.ModuleList(Block(config.width, rate) for rate in config.rates())

    def forward(self, x):
        for block in self.blocks:
            torch._dynamo.graph_break()
            x = block(x)
        return x
