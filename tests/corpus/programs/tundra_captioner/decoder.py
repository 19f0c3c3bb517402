import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        k, v = self.kv(memory).chunk(2, dim=-1)
        y = F.scaled_dot_product_attention(
            self.split(self.q(x)), self.split(k), self.split(v), attn_mask=mask
        )
        return self.out(y.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.self_attn, self.cross_attn = Attention(dim, heads), Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3))

    def forward(self, x, picture, mask):
        h = self.norms[0](x)
        x = x + self.self_attn(h, h, mask)
        x = x + self.cross_attn(self.norms[1](x), picture)
        return x + self.mlp(self.norms[2](x))


class CaptionDecoder(nn.Module):
    """Scores of the next word for captions in a buffer of fixed length."""

    def __init__(self, vocab, dim=16, heads=2, layers=2, max_len=12, min_len=3, eos=1):
        super().__init__()
        self.embed, self.position = nn.Embedding(vocab, dim), nn.Embedding(max_len, dim)
        self.layers = nn.ModuleList(DecoderLayer(dim, heads) for _ in range(layers))
        self.head = nn.Linear(dim, vocab)
        self.min_len, self.eos = min_len, eos
        self.register_buffer("causal", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        self.emitted = 0

    def start(self):
        self.emitted = 0

    def forward(self, ids, cursor, picture, bias=None, temperature=1.0):
        x = self.embed(ids) * math.sqrt(self.embed.embedding_dim) + self.position.weight
        for layer in self.layers:
            x = layer(x, picture, self.causal)
        logits = self.head(x.index_select(1, cursor).squeeze(1)) / temperature
        if self.emitted < self.min_len:
            never = F.one_hot(torch.tensor(self.eos), logits.size(-1)).bool()
            logits = logits.masked_fill(never, float("-inf"))
            self.emitted += 1
        if bias is not None:
            logits = logits + bias
        return logits
