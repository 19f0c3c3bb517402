"""A decoder of captions with a cache of keys and values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, past=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if past is not None:
            k = torch.cat([past[0], k], dim=1)
            v = torch.cat([past[1], v], dim=1)
        weights = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).softmax(-1)
        return self.proj(weights @ v), (k, v)


class CaptionDecoder(nn.Module):
    def __init__(self, vocab=50, dim=24):
        super().__init__()
        self.image = nn.Linear(16, dim)
        self.tokens = nn.Embedding(vocab, dim)
        self.attn = CachedAttention(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.head = nn.Linear(dim, vocab)

    def forward(self, token, image, past=None):
        x = self.tokens(token) + self.image(image).unsqueeze(1)
        h, past = self.attn(x, past)
        x = x + h
        x = x + self.mlp(F.layer_norm(x, x.shape[-1:]))
        return self.head(x[:, -1]), past
