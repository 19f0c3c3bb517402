"""Tags the words of flower catalogues."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class Options:
    vocabulary: int = 60
    width: int = 16
    layers: int = 2
    tags: int = 5
    window: int = 1


class LocalAttention(nn.Module):
    """Words attend to words near by."""

    def __init__(self, options):
        super().__init__()
        self.options = options
        self.project = nn.Linear(options.width, 3 * options.width)

    def forward(self, words):
        query, key, value = self.project(words).chunk(3, dim=-1)
        place = torch.arange(words.shape[1])
        distance = place[:, None] - place
        far = distance.abs() > self.options.window
        likeness = (query @ key.mT).masked_fill(far, -1e9)
        return words + torch.softmax(likeness / query.shape[-1] ** 0.5, -1) @ value


class Tagger(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.embed = nn.Embedding(options.vocabulary, options.width)
        self.layers = nn.ModuleList([LocalAttention(options) for _ in range(options.layers)])
        self.out = nn.Linear(options.width, options.tags)

    def forward(self, input_ids, labels):
        words = self.embed(input_ids)
        for layer in self.layers:
            words = layer(words)
        logits = self.out(words)
        return {"loss": functional.cross_entropy(logits.mT, labels), "logits": logits}
