"""A tagger over sentences."""

import logging

import torch
from torch import nn

log = logging.getLogger(__name__)


class Tagger(nn.Module):
    def __init__(self, vocabulary=40, tags=5, width=12):
        super().__init__()
        self.batches_seen = 0
        self.embed = nn.Embedding(vocabulary, width)
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        self.head = nn.Linear(width, tags)

    def forward(self, words):
        self.batches_seen += 1
        hidden = self.mix(self.embed(words).transpose(1, 2)).transpose(1, 2)
        log.warning("batch of %d sentences", len(words))
        noise = torch.randn_like(hidden) / (1 + self.batches_seen)
        return self.head((hidden + noise).relu())
