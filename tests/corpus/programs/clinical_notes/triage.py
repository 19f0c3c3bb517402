"""Urgency from a note and what was measured."""

import torch
from timing import timed
from torch import nn


class Triage(nn.Module):
    def __init__(self, words=50, width=8):
        super().__init__()
        self.words = nn.EmbeddingBag(words, width, mode="mean")
        self.age = nn.Linear(1, width)
        self.pressure = nn.Linear(1, width)
        self.urgency = nn.Linear(width, 1)

    @timed
    def encode(self, note):
        hidden = self.words(note["words"]) + self.age(note["age"])
        if "pressure" in note:
            hidden = hidden + self.pressure(note["pressure"])
        return torch.tanh(hidden)

    def forward(self, note):
        return self.urgency(self.encode(note)).squeeze(1)
