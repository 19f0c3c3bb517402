"""Scores a bag by its items."""

import torch
from torch import nn


class BagScorer(nn.Module):
    def __init__(self, features=6, width=16):
        super().__init__()
        self.item = nn.Sequential(nn.Linear(features, width), nn.ReLU())
        self.score = nn.Linear(width, 1)

    def forward(self, items, lengths):
        hidden = self.item(items)
        pooled = []
        for row, length in enumerate(lengths.tolist()):
            pooled.append(hidden[row, :length].amax(0))
        return self.score(torch.stack(pooled)).squeeze(1)
