"""A reader of sentences that answers as soon as it is sure."""

import torch
from exits import Exit, ExitPolicy
from torch import nn


class Reader(nn.Module):
    def __init__(self, vocabulary=40, width=24, layers=4, classes=3, threshold=0.42):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary, width)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(layers)
        )
        self.exits = nn.ModuleList(Exit(width, classes) for _ in range(layers))
        self.policy = ExitPolicy(threshold)

    def embedded(self, tokens):
        if tokens.dim() == 1:
            tokens = tokens.unsqueeze(0)
        return self.embed(tokens)

    def forward(self, tokens):
        """The answers of every exit, to train all of them."""
        hidden, answers = self.embedded(tokens), []
        for layer, leave in zip(self.layers, self.exits, strict=True):
            hidden = hidden + layer(hidden)
            answers.append(leave(hidden))
        return torch.stack(answers)

    def answer(self, tokens):
        hidden = self.embedded(tokens)
        for layer, leave in zip(self.layers, self.exits, strict=True):
            hidden = hidden + layer(hidden)
            logits = leave(hidden)
            if self.policy.satisfied(logits):
                return logits
        return logits
