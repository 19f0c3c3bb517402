import torch
from cache import StaticSlidingWindowLayer
from torch import nn


class TinyDecoder(nn.Module):
    def __init__(self, vocab, dim, window):
        super().__init__()
        self.window, self.dim = window, dim
        self.emb = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.head = nn.Linear(dim, vocab)

    def new_cache(self):
        return StaticSlidingWindowLayer(self.window, self.dim)

    def forward(self, token, cache):
        x = self.emb(token)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        keys, values, mask = cache.update(k, v)
        att = (q @ keys.transpose(1, 2)).masked_fill(~mask, float("-inf")).softmax(-1)
        return self.head(x + att @ values)
