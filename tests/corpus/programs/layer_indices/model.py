"""A stack of blocks; mixers by turns."""

import torch
from mixers import Attention, Convolution
from torch import nn


class Block(nn.Module):
    def __init__(self, width, layer_idx):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        kind = Attention if layer_idx % 2 else Convolution
        self.mixer = kind(width, layer_idx)

    def forward(self, x, cache):
        return x + self.mixer(self.norm(x), cache)


class Language(nn.Module):
    def __init__(self, vocabulary=40, width=8, depth=6):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, number) for number in range(depth))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        cache = {number: torch.zeros(()) for number in range(len(self.blocks))}
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, cache)
        return self.head(x)
