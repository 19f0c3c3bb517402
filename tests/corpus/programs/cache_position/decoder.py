"""A decoder that reads one token at a time."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, cache, position):
        q, k, v = self.qkv(x).chunk(3, -1)
        keys, values = cache.put(position, k, v)
        scores = torch.einsum("bw,blw->bl", q, keys) / q.shape[-1] ** 0.5
        future = torch.arange(keys.shape[1]) > position
        weights = scores.masked_fill(future, -torch.inf).softmax(-1)
        return x + torch.einsum("bl,blw->bw", weights, values)


class Decoder(nn.Module):
    def __init__(self, vocabulary=40, width=16, depth=2):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Attention(width) for _ in range(depth))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, token, cache, position):
        x = self.embed(token)
        for layer, entry in zip(self.layers, cache.layers, strict=True):
            x = layer(x, entry, position)
        return self.head(x).argmax(-1)
