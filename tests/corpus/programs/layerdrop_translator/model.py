"""An encoder whose layers are skipped at random while it trains (LayerDrop)."""

import random

from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        self.feed = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        normed = self.norm(x)
        mixed = self.mix(normed.transpose(1, 2)).transpose(1, 2)
        return x + mixed + self.feed(normed)


class Encoder(nn.Module):
    def __init__(self, vocabulary=50, width=16, depth=3, layerdrop=0.3):
        super().__init__()
        self.layerdrop = layerdrop
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(depth))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            if self.training and random.random() < self.layerdrop:
                continue
            x = layer(x)
        return self.head(x)
