"""Makes the model and its optimizers from a plain configuration."""

import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, users, items, width, sparse):
        super().__init__()
        self.users = nn.Embedding(users, width, sparse=sparse)
        self.items = nn.Embedding(items, width, sparse=sparse)
        self.score = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, user, item):
        pair = torch.cat([self.users(user), self.items(item)], 1)
        return self.score(pair).squeeze(1)


def make(config):
    model = Ranker(**config["model"])
    tables = [*model.users.parameters(), *model.items.parameters()]
    kind = torch.optim.SparseAdam if config["model"]["sparse"] else torch.optim.Adam
    optimizers = [
        kind(tables, lr=config["lr"]),
        torch.optim.Adam(model.score.parameters(), lr=config["lr"]),
    ]
    return model, optimizers
