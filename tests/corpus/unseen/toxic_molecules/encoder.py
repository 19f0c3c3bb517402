import random

import torch
from torch import nn


class LayerDropStack(nn.ModuleList):
    """Skips each of its layers now and then during training."""

    def __init__(self, layers, p):
        super().__init__(layers)
        self.p = p

    def forward(self, x, bias):
        for layer in self:
            if self.training and random.random() < self.p:
                continue
            x = layer(x, bias)
        return x


class AtomLayer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.norm = nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, bias):
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(2)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5 + bias.unsqueeze(1)
        mixed = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v).flatten(2)
        return x + self.drop(self.out(mixed))


class ToxNet(nn.Module):
    def __init__(self, width, depth, heads, layerdrop, dropout):
        super().__init__()
        self.atoms = nn.Embedding(8, width, padding_idx=0)
        layers = [AtomLayer(width, heads, dropout) for _ in range(depth)]
        self.stack = LayerDropStack(layers, layerdrop)
        self.reach = nn.Parameter(torch.tensor(1.0))
        self.head = nn.Linear(width, 1)

    def forward(self, atoms, places):
        there = atoms > 0
        bias = -self.reach * torch.cdist(places, places)
        bias = bias.masked_fill(~there.unsqueeze(1), -1e4)
        x = self.stack(self.atoms(atoms), bias)
        pooled = (x * there.unsqueeze(-1)).sum(1) / there.sum(1, keepdim=True)
        return self.head(pooled).squeeze(-1)
