"""A policy with dropout and batch normalization."""

from torch import nn


class Policy(nn.Module):
    def __init__(self, observations=6, actions=3, width=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(observations, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.1)
        )
        self.head = nn.Linear(width, actions)

    def forward(self, observations):
        return self.head(self.body(observations))
