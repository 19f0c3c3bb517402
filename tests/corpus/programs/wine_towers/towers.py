from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn


def mlp(*sizes):
    layers = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class UserTower(nn.Module):
    def __init__(self, users, dim):
        super().__init__()
        self.embedding = nn.Embedding(users, dim)
        self.head = mlp(dim, 2 * dim, dim)

    def forward(self, users):
        return F.normalize(self.head(self.embedding(users)), dim=-1)


class ItemTower(nn.Module):
    def __init__(self, items, grapes, dim):
        super().__init__()
        self.embedding = nn.Embedding(items, dim)
        self.grape = nn.Embedding(grapes, dim)
        self.head = mlp(2 * dim + 1, 2 * dim, dim)

    def forward(self, items, grape, price):
        x = torch.cat([self.embedding(items), self.grape(grape), price.unsqueeze(-1)], dim=-1)
        return F.normalize(self.head(x), dim=-1)


class TwoTower(nn.Module):
    """Softmax over the batch, corrected by how often each item is sampled."""

    def __init__(self, users, items, grapes, dim=16, temperature=0.5):
        super().__init__()
        self.user_tower = UserTower(users, dim)
        self.item_tower = ItemTower(items, grapes, dim)
        self.temperature = temperature

    def forward(self, users, item_features, popularity):
        u = self.user_tower(users)
        v = self.item_tower(*item_features)
        logits = u @ v.T / self.temperature - popularity.log()
        same = item_features[0][:, None] == item_features[0][None]
        same.fill_diagonal_(False)
        logits = logits.masked_fill(same, torch.finfo(logits.dtype).min)
        return F.cross_entropy(logits, torch.arange(len(users)))
