import torch
from torch import nn


class Percolation(nn.Module):
    """Layers give to the next lower one; what is left evaporates."""

    def __init__(self, width=32):
        super().__init__()
        self.rates = nn.Sequential(nn.Linear(6, width), nn.Tanh(), nn.Linear(width, 8))

    def forward(self, day):
        wet = day[:, :4]
        down, up = self.rates(day).sigmoid().chunk(2, dim=-1)
        leaking = wet * down
        entering = torch.cat([day[:, 4:5], leaking[:, :-1]], dim=-1)
        return wet - leaking + entering - 0.2 * up * day[:, 5:]
