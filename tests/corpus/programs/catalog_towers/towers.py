"""Two towers: who looks, and what there is in the catalog."""

import torch
from torch import nn
from torch.nn import functional as F


class Tower(nn.Module):
    def __init__(self, rows, features, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.dense = nn.Linear(features, width)

    def forward(self, number, features):
        return F.normalize(self.table(number) + torch.relu(self.dense(features)), dim=-1)


class TwoTowers(nn.Module):
    def __init__(self, users, items, features=4, width=16):
        super().__init__()
        self.user = Tower(users, features, width)
        self.item = Tower(items, features, width)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, batch):
        user = self.user(batch["user"], batch["user_features"])
        item = self.item(batch["item"], batch["item_features"])
        return 5 * (user * item).sum(-1) + self.bias
