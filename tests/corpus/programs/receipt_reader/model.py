"""Reads fields off a receipt: lines of text, each a row of embeddings."""

import torch
from log import note
from torch import nn


class Reader(nn.Module):
    def __init__(self, width=8, fields=3):
        super().__init__()
        self.line = nn.Linear(width, width)
        self.fields = nn.Linear(width, fields)

    def summary(self, lines):
        return torch.stack([self.line(line).amax(0) for line in lines]).mean(0)

    def forward(self, lines):
        hidden = self.summary(lines)
        note("fields", width=hidden.shape[-1])
        return self.fields(hidden.relu())
