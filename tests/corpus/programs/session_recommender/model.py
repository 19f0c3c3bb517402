"""Scores items by what was viewed, and by the profile if there is one."""

from torch import nn


class Recommender(nn.Module):
    def __init__(self, items=30, width=12, profile=6):
        super().__init__()
        self.items = nn.Embedding(items, width)
        self.read_profile = nn.Sequential(nn.Linear(profile, width), nn.ReLU())
        self.combine = nn.Linear(width, width)

    def forward(self, viewed, profile=None):
        wish = self.items(viewed).mean(1)
        if profile is not None:
            wish = wish + self.read_profile(profile)
        return self.combine(wish) @ self.items.weight.mT
