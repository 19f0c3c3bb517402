import torch
from torch import nn


def head(dim, depth):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(dim, dim), nn.GELU()]
    return nn.Sequential(*layers, nn.Linear(dim, 1))


class MultiDomain(nn.Module):
    """shared trunk, a small head per domain"""

    def __init__(self, dim, depths):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.heads = nn.ModuleDict({name: head(dim, d) for name, d in depths.items()})

    def forward(self, x, domain):
        return self.heads[domain](torch.tanh(self.trunk(x)))
