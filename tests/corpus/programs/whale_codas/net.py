"""Attention pooling over clicks."""

import torch
from torch import nn


class CodaNet(nn.Module):
    def __init__(self, width=16, clans=3, dropout=0.1):
        super().__init__()
        self.gru = nn.Sequential(nn.Linear(2, width), nn.SELU(), nn.Dropout(dropout))
        self.look = nn.Linear(width, 1)
        self.clan = nn.Linear(width, clans)

    def forward(self, gaps, mask):
        hidden = self.gru(torch.stack([gaps, gaps.cumsum(-1)], -1))
        scores = self.look(hidden).squeeze(-1).masked_fill(~mask, -torch.inf)
        return self.clan((scores.softmax(-1)[..., None] * hidden).sum(1))
