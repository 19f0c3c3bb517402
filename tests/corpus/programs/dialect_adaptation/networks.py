"""A recogniser of phones, with small adapters for each dialect."""

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, width, rank=3):
        super().__init__()
        self.down = nn.Linear(width, rank)
        self.up = nn.Linear(rank, width)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


class Recogniser(nn.Module):
    def __init__(self, bands, phones, dialects, width=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(bands, width), nn.SiLU())
        self.adapters = nn.ModuleDict({name: Adapter(width) for name in dialects})
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(width, phones))

    def forward(self, frames, dialect):
        return self.head(self.adapters[dialect](self.stem(frames)))
