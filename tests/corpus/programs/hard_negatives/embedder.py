"""Embeds queries and products in one space."""

from torch import nn
from torch.nn import functional


class Embedder(nn.Module):
    def __init__(self, features=12, width=8, dropout=0.1):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(features, 24), nn.ReLU(), nn.Dropout(dropout), nn.Linear(24, width)
        )

    def forward(self, x):
        return functional.normalize(self.net(x), dim=-1)
