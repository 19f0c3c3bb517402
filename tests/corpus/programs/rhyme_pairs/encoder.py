"""Encodes lines so that those which rhyme are close."""

import torch
from torch import nn
from torch.nn import functional


class LineEncoder(nn.Module):
    def __init__(self, phonemes=30, width=16):
        super().__init__()
        self.sounds = nn.Embedding(phonemes, width)
        self.drop = nn.Dropout(0.2)
        self.weigh = nn.Linear(width, 1)

    def forward(self, lines):
        sounds = self.drop(self.sounds(lines))
        weights = self.weigh(sounds).softmax(1)
        return functional.normalize((weights * sounds).sum(1), dim=1)


class Contrast(nn.Module):
    def __init__(self, encoder, temperature=0.2):
        super().__init__()
        self.encoder, self.temperature = encoder, temperature

    def forward(self, left, right):
        scores = self.encoder(left) @ self.encoder(right).T / self.temperature
        return functional.cross_entropy(scores, torch.arange(len(left)))
