import random

import torch
from torch import nn


class LayerDropStack(nn.ModuleList):
    """Skips each of its layers now and then during training."""

    def __init__(self, layers, p):
        super().__init__(layers)
        self.p = p

    def forward(self, x, near):
        for layer in self:
            if self.training and random.random() < self.p:
                continue
            x = layer(x, near)
        return x


class AtomLayer(nn.Module):
    """Each atom hears the others, near ones more."""

    def __init__(self, width, dropout):
        super().__init__()
        self.hear, self.tell = nn.Linear(width, width), nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, near):
        return x + self.drop(torch.tanh(self.tell(torch.bmm(near, self.hear(x)))))


class ToxNet(nn.Module):
    def __init__(self, width, depth, layerdrop, dropout):
        super().__init__()
        self.atoms = nn.Embedding(8, width, padding_idx=0)
        layers = [AtomLayer(width, dropout) for _ in range(depth)]
        self.stack = LayerDropStack(layers, layerdrop)
        self.head = nn.Linear(width, 1)

    def forward(self, atoms, places):
        there = atoms > 0
        bias = (-torch.cdist(places, places)).masked_fill(~there.unsqueeze(1), -1e4)
        x = self.stack(self.atoms(atoms), bias.softmax(-1))
        return self.head((x * there.unsqueeze(-1)).sum(1)).squeeze(-1)
