"""A frozen predictor of how well an antibody binds."""

import torch
from torch import nn


class Binding(nn.Module):
    def __init__(self, length, letters=20, width=16):
        super().__init__()
        self.embed = nn.Linear(letters, width, bias=False)
        self.mix = nn.Linear(length, length)
        self.read = nn.Sequential(nn.LayerNorm(width), nn.Tanh(), nn.Linear(width, 1))
        self.requires_grad_(False)

    def forward(self, sequence):
        x = self.embed(sequence)
        x = x + self.mix(x.transpose(0, 1)).transpose(0, 1)
        return self.read(x).mean()


def naturalness(sequence, profile):
    return -(sequence * profile.log()).sum(-1).mean()


def panel(count, length):
    return [Binding(length).eval() for _ in range(count)]


def agreed(scores):
    stacked = torch.stack(scores)
    return stacked.mean() - 0.5 * stacked.std()
