"""A variational autoencoder of scents."""

import torch
from torch import nn


class Blend(nn.Module):
    def __init__(self, oils, hidden=4):
        super().__init__()
        self.encode = nn.Linear(oils, 2 * hidden)
        self.decode = nn.Linear(hidden, oils)

    def forward(self, scent):
        mean, spread = self.encode(scent).chunk(2, dim=-1)
        hidden = mean + spread.exp() * torch.randn_like(mean)
        return self.decode(hidden), hidden, 0.5 * (mean**2 + (2 * spread).exp() - 1) - spread
