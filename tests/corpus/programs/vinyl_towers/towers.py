"""Two towers: who listens, and which record."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, n: int, dim: int = 16):
        super().__init__()
        self.emb = nn.Embedding(n, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.mlp(self.emb(ids)), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, users: int, records: int):
        super().__init__()
        self.user = Tower(users)
        self.record = Tower(records)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, users: torch.Tensor, records: torch.Tensor) -> torch.Tensor:
        logits = self.user(users) @ self.record(records).T * self.log_scale.exp()
        labels = torch.arange(users.numel())
        return F.cross_entropy(logits, labels)
