"""A nose with a head for each note."""

import torch
from torch import nn


class Nose(nn.Module):
    def __init__(self, notes, compounds=8, width=10):
        super().__init__()
        self.smell = nn.Sequential(nn.Linear(compounds, width), nn.Tanh())
        self.notes = nn.ModuleDict({note: nn.Linear(width, 1) for note in notes})

    def forward(self, mixture):
        x = self.smell(mixture)
        return torch.cat([head(x) for head in self.notes.values()], 1)


def asymmetric(logits, said, shift, focus):
    """A focal loss that forgives easy notes which are not there."""
    p = logits.sigmoid()
    there = said * (1 - p).pow(focus) * p.clamp(min=1e-6).log()
    away = (p - shift).clamp(min=0.0)
    absent = (1 - said) * away.pow(focus) * (1 - away).log()
    return -(there + absent).sum(1).mean()
