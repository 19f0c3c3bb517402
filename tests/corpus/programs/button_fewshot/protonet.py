"""Prototypical network with a frozen stem and a distance whose temperature is annealed."""

import torch
from torch import nn


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(2, outputs), nn.ReLU()
    )


class Embedding(nn.Module):
    def __init__(self, width=8, dropout=0.1):
        super().__init__()
        self.stem = block(3, width)
        self.blocks = nn.ModuleList([block(width, width) for _ in range(2)])
        self.drop = nn.Dropout(dropout)
        self.pool = nn.AvgPool2d(2)

    def freeze_stem(self):
        self.stem.requires_grad_(False)
        return self

    def forward(self, x):
        x = self.pool(self.stem(x))
        for blk in self.blocks:
            x = self.pool(x + blk(x))
        return self.drop(x.flatten(1))


class ProtoNet(nn.Module):
    def __init__(self, embedding):
        super().__init__()
        self.embedding = embedding
        self.register_buffer("temperature", torch.tensor(1.0))

    def forward(self, support, query):
        way, shot = support.shape[:2]
        both = self.embedding(torch.cat([support.flatten(0, 1), query]))
        prototypes = both[: way * shot].unflatten(0, (way, shot)).mean(1)
        distance = (both[way * shot :, None] - prototypes[None]).square().sum(-1)
        return -distance / self.temperature
