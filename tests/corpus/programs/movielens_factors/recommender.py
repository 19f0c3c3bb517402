"""Matrix factorization with biases, and a tower for what factors do not explain."""

import torch
import torch.nn as nn


class Recommender(nn.Module):
    def __init__(self, n_users, n_items, dim=16):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, dim, sparse=True)
        self.item_factors = nn.Embedding(n_items, dim, sparse=True)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.tower = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, 1))
        self.use_tower = False

    def forward(self, users, items):
        u, i = self.user_factors(users), self.item_factors(items)
        score = (u * i).sum(-1, keepdim=True) + self.user_bias(users) + self.item_bias(items)
        if self.use_tower:
            score = score + self.tower(torch.cat([u, i], dim=-1))
        return score.squeeze(-1)

    def sparse_parameters(self):
        return [self.user_factors.weight, self.item_factors.weight]

    def dense_parameters(self):
        sparse = {id(p) for p in self.sparse_parameters()}
        return [p for p in self.parameters() if id(p) not in sparse]
