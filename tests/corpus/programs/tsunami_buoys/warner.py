"""Predicts the height of a wave at the coast."""

import torch
from torch import nn


class Warner(nn.Module):
    def __init__(self, minutes=30, width=20):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.first = nn.Linear(minutes, width)
        self.second = nn.Linear(width, 1)

    def forward(self, pressure):
        hidden = torch.tanh(self.first(pressure * self.scale))
        height = self.second(hidden).squeeze(-1)
        print("heights within", height.aminmax())
        return height
