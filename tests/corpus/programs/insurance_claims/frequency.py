"""The frequency of claims, as a network with a Poisson likelihood."""

import torch
from torch import nn


class Frequency(nn.Module):
    def __init__(self, features=4, width=12):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.hidden = nn.Linear(features, width)
        self.out = nn.Linear(width, 1)

    def forward(self, features, claims):
        features = self.norm(features.to(self.out.weight.dtype))
        rate = self.out(torch.tanh(self.hidden(features))).flatten()
        return (rate.exp() - claims.flatten() * rate).mean()
