"""Denoises columns and classifies rows."""

import torch
from torch import nn
from torch.nn import functional


class TableModel(nn.Module):
    def __init__(self, columns=7, width=16, classes=3):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(columns, width), nn.Hardswish())
        self.decode = nn.Linear(width, columns)
        self.classify = nn.Linear(width, classes)

    def reconstruction(self, hidden, columns):
        error = (self.decode(hidden) - columns).square().mean(1)
        if error.max() > 9 * error.median():
            error = error.clamp(max=error.median() * 9)
        return error.mean()

    def forward(self, batch):
        kept = torch.rand_like(batch.columns) > 0.2
        hidden = self.encode(batch.columns * kept)
        loss = self.reconstruction(hidden, batch.columns)
        known = functional.cross_entropy(self.classify(hidden), batch.labels)
        return loss + known * supervised(batch)


def supervised(batch):
    """1 where there are labels to learn from."""
    return (batch.labels.max() > 0).to(batch.columns.dtype)
