"""A tower that standardizes its features as it goes."""

from store import FeatureStore
from torch import nn
from torch.nn import functional


class Tower(nn.Module):
    def __init__(self, columns=9, width=8):
        super().__init__()
        self.enter = nn.Linear(columns, width)
        self.store = FeatureStore(width)
        self.leave = nn.Linear(width, 1)

    def forward(self, rows):
        features = self.enter(rows).tanh()
        features = self.store(features)
        return self.leave(functional.relu(features)).squeeze(-1)
