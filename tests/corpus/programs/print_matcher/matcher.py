"""Two prints, one finger?"""

import torch
from torch import nn


class Matcher(nn.Module):
    def __init__(self, width=6, margin=1.0):
        super().__init__()
        self.embed = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2),
            nn.Softplus(),
            nn.Conv2d(width, width, 3, stride=2),
            nn.Flatten(),
            nn.LazyLinear(8),
        )
        self.margin = margin

    def forward(self, one, other, same):
        distance = torch.pairwise_distance(self.embed(one), self.embed(other))
        apart = (self.margin - distance).relu().square()
        return torch.where(same, distance.square(), apart).mean()
