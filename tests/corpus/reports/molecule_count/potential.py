import torch
from torch import nn

from segments import segment_sum


class Potential(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(3, width)
        self.last = nn.Linear(width, 1)

    def forward(self, coordinates, owner):
        hidden = torch.tanh(self.first(coordinates))
        pooled = segment_sum(hidden, owner)
        atoms = segment_sum(torch.ones_like(coordinates[:, :1]), owner)
        return self.last(pooled / atoms).squeeze(-1)
