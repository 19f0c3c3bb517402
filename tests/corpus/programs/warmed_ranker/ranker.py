"""Ranks candidates for a user."""

from torch import nn


class TwoTower(nn.Module):
    def __init__(self, users=30, items=60, width=12):
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.items = nn.Embedding(items, width)
        self.mix = nn.Bilinear(width, width, 1)

    def forward(self, user, items):
        item_vectors = self.items(items)
        user_vectors = self.users(user).expand(len(items), -1)
        return self.mix(user_vectors, item_vectors).squeeze(-1)
