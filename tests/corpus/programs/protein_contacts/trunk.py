"""Pair features of residues, mixed along an axis."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Axis(nn.Module):
    """Mixes one axis of the pairs, gated by the other."""

    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, 2 * width)

    def forward(self, pairs):
        value, gate = self.mix(pairs).chunk(2, dim=-1)
        return pairs + value.mean(-2, keepdim=True) * torch.sigmoid(gate)


class Trunk(nn.Module):
    def __init__(self, letters=21, width=8, recompute=True):
        super().__init__()
        self.left, self.right = nn.Embedding(letters, width), nn.Embedding(letters, width)
        self.rows = Axis(width)
        self.contact = nn.Linear(width, 1)
        self.recompute = recompute

    def forward(self, chain):
        pairs = self.left(chain).unsqueeze(-2) + self.right(chain).unsqueeze(-3)
        if self.recompute:
            pairs = checkpoint(self.rows, pairs, use_reentrant=False)
        else:
            pairs = self.rows(pairs)
        scores = self.contact(pairs).squeeze(-1)
        return (scores + scores.transpose(-1, -2)) / 2
