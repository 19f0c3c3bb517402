import torch
from torch import nn


class FactorizationMachine(nn.Module):
    """Biases, an inner product and a small tower on top."""

    def __init__(self, n_users, n_items, dim=8, mean=0.0, dropout=0.1):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.tower = nn.Sequential(
            nn.Linear(2 * dim, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 1)
        )
        self.register_buffer("mean", torch.tensor(mean))
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=0.05)
        for table in (self.user_bias, self.item_bias):
            nn.init.zeros_(table.weight)

    def forward(self, user, item):
        u, i = self.user(user), self.item(item)
        bias = self.user_bias(user) + self.item_bias(item)
        deep = self.tower(torch.cat([u, i], dim=1))
        score = self.mean + (bias + deep).squeeze(1) + (u * i).sum(1)
        return score, (u, i)
