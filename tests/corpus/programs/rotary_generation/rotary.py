"""Rotary positions from a table that is made once."""

import torch
from torch import nn
from torch.nn import functional


class Rotary(nn.Module):
    def __init__(self, width, longest):
        super().__init__()
        frequencies = 10.0 ** -torch.linspace(0, 3, width // 2)
        angles = torch.outer(torch.arange(longest), frequencies)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, x):
        cos, sin = self.cos[: x.shape[1]], self.sin[: x.shape[1]]
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.cat([even * cos - odd * sin, even * sin + odd * cos], -1)


class Decoder(nn.Module):
    def __init__(self, vocabulary=50, width=16, longest=64):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.rotary = Rotary(width, longest)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        q, k, v = self.qkv(x).chunk(3, -1)
        x = x + functional.scaled_dot_product_attention(
            self.rotary(q), self.rotary(k), v, is_causal=True
        )
        return self.head(x)
