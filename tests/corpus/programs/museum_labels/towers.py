"""Two towers, of exhibits and of their labels."""

import torch
from torch import nn
from torch.nn import functional as F


class Tower(nn.Module):
    def __init__(self, inputs, width=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.Mish(), nn.Linear(width, width))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


def contrast(left, right, temperature=0.1, margin=None):
    """Cross entropy over all pairs; a margin makes the right ones harder."""
    scores = left @ right.T / temperature
    if margin is not None:
        scores = scores - torch.eye(len(left)) * margin / temperature
    target = torch.arange(len(left))
    return (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2


def uniformity(left, right):
    return torch.cdist(left, right).square().mul(-2).exp().mean().log()
