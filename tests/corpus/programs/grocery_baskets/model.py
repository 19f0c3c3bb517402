import torch
from torch import nn


class BasketEncoder(nn.Module):
    def __init__(self, items, dim, hidden, dropout, temperature):
        super().__init__()
        self.items = nn.Embedding(items, dim)
        self.mix = nn.Sequential(
            nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, dim)
        )
        self.temperature = temperature

    def forward(self, basket):
        inside = self.items(basket)
        query = self.mix(inside.mean(dim=1)) + inside[:, -1]
        scores = nn.functional.normalize(query, dim=-1) @ self.catalog().T
        return scores / self.temperature

    def catalog(self):
        return nn.functional.normalize(self.items.weight, dim=-1)


def build(items, config):
    return BasketEncoder(items, **config)


def hit_rate(scores, target, k=10):
    return (scores.topk(k).indices == target[:, None]).any(dim=1).float().mean()


def parameter_norm(model):
    return torch.stack([p.detach().norm() for p in model.parameters()]).norm()
