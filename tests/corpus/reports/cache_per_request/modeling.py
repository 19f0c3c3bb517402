import torch
from torch import nn


class StaticCache:
    def __init__(self, max_cache_len, dim):
        self.max_cache_len = max_cache_len
        self.k = torch.zeros(1, max_cache_len, dim)
        self.v = torch.zeros(1, max_cache_len, dim)


class CausalLM(nn.Module):
    def __init__(self, vocab, dim, max_position):
        super().__init__()
        self.dim = dim
        self.max_position = max_position
        self.emb = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_position, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, token, position, k_cache, v_cache):
        x = self.emb(token) + self.pos(position)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        k_cache.index_copy_(1, position, k)
        v_cache.index_copy_(1, position, v)
        seen = torch.arange(k_cache.shape[1]) <= position
        att = (q @ k_cache.transpose(1, 2)).masked_fill(~seen, float("-inf")).softmax(-1)
        return self.head(x + att @ v_cache)
