"""Decoder blocks whose keys and values are written into buffers of a fixed size."""

import torch
from torch import nn
from torch.nn import functional as F


class CachedAttention(nn.Module):
    def __init__(self, dim: int, heads: int, capacity: int, rows: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim, bias=False)
        shape = (rows, heads, capacity, dim // heads)
        self.register_buffer("keys", torch.zeros(shape), persistent=False)
        self.register_buffer("values", torch.zeros(shape), persistent=False)
        self.register_buffer("mask", torch.ones(capacity, capacity).tril().bool(), persistent=False)

    def forward(self, x, places):
        rows, length, dim = x.shape
        q, k, v = (
            part.view(rows, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(x).chunk(3, -1)
        )
        self.keys.index_copy_(2, places, k)
        self.values.index_copy_(2, places, v)
        seen = F.scaled_dot_product_attention(
            q, self.keys, self.values, attn_mask=self.mask[places]
        )
        return self.proj(seen.transpose(1, 2).reshape(rows, length, dim))


class Block(nn.Module):
    def __init__(self, dim, **attention):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = CachedAttention(dim, **attention)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, places):
        x = x + self.attn(self.ln_1(x), places)
        return x + self.mlp(self.ln_2(x))
