"""A recurrent-depth model: prelude, a block that is iterated, coda."""

import torch
from torch import nn


class RecurrentBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width, bias=False)

    def forward(self, state, embedded):
        return torch.tanh(self.inner(state.flip(1)) + embedded)


class LatentReasoner(nn.Module):
    def __init__(self, vocabulary=16, width=8):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.block = RecurrentBlock(width)
        self.head = nn.Linear(width, vocabulary)

    def iterate(self, state, embedded, depth):
        for _ in range(depth):
            state = self.block(state, embedded)
        return state

    def forward(self, tokens, depth):
        embedded = self.embed(tokens)
        state = self.iterate(torch.zeros_like(embedded), embedded, depth)
        return self.head(state)
