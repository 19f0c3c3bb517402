import torch
from torch import nn


class WanBlocks(nn.Module):
    def __init__(self, depth, dim):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim)) for _ in range(depth)])

    def forward(self, x):
        for b in self.blocks:
            x = x + b(x)
        return x
