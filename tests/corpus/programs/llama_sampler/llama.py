"""A small Llama with a static cache of keys and values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class StaticCache(nn.Module):
    def __init__(self, batch, longest, dim):
        super().__init__()
        self.register_buffer("keys", torch.zeros(batch, longest, dim))
        self.register_buffer("values", torch.zeros(batch, longest, dim))

    def update(self, position, k, v):
        self.keys.index_copy_(1, position, k)
        self.values.index_copy_(1, position, v)
        return self.keys, self.values


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.RMSNorm(dim)
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.ffn = nn.Sequential(nn.RMSNorm(dim), nn.Linear(dim, dim), nn.SiLU())
        self.cache = None

    def forward(self, x, position, mask):
        q, k, v = self.wqkv(self.norm(x)).chunk(3, dim=-1)
        k, v = self.cache.update(position, k, v)
        x = x + self.wo(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
        return x + self.ffn(x)


class Llama(nn.Module):
    def __init__(self, vocab=60, dim=24, layers=2, longest=32):
        super().__init__()
        self.longest = longest
        self.dim = dim
        self.embed = nn.Embedding(vocab, dim)
        self.positions = nn.Embedding(longest, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(layers))
        self.norm = nn.RMSNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)

    def setup_cache(self, batch):
        for block in self.blocks:
            block.cache = StaticCache(batch, self.longest, self.dim)

    def forward(self, tokens, position):
        mask = torch.arange(self.longest)[None, :] <= position[:, None]
        x = self.embed(tokens) + self.positions(position)
        for block in self.blocks:
            x = block(x, position, mask)
        return self.lm_head(self.norm(x[:, -1]))
