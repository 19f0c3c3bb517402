"""Skips, from bags of songs."""

import torch
from torch import nn


class Skip(nn.Module):
    def __init__(self, songs, width=8):
        super().__init__()
        self.history = nn.EmbeddingBag(songs, width, mode="mean", sparse=True)
        self.song = nn.Embedding(songs, width)
        self.score = nn.Bilinear(width, width, 1)

    def tables(self):
        return list(self.history.parameters())

    def dense(self):
        return [*self.song.parameters(), *self.score.parameters()]

    def forward(self, batch):
        taste = self.history(batch["before"])
        return self.score(taste, torch.tanh(self.song(batch["now"]))).squeeze(-1)
