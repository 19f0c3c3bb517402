"""Scores recipes."""

import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, fields, width=10):
        super().__init__()
        self.parts = nn.ModuleDict({name: nn.Linear(size, width) for name, size in fields.items()})
        self.score = nn.Linear(width, 1)

    def forward(self, batch):
        known = {name: values for name, values in batch.items() if name in self.parts}
        parts = [self.parts[name](values) for name, values in known.items()]
        return self.score(torch.stack(parts).sum(0).relu())
