import sys

import torch
from torch import nn


class LocalSelfAttention(nn.Module):
    def __init__(self, dim, attention_dropout):
        super().__init__()
        self.attention_seed = None
        self.dropout = nn.Dropout(attention_dropout)
        self.qkv = nn.Linear(dim, 3 * dim)

    def _init_attention_seed(self):
        """new seed per call, so that the backward can recompute the same dropout"""
        self.attention_seed = int(torch.seed() % sys.maxsize)
        torch.manual_seed(self.attention_seed)

    def forward(self, x):
        if self.training:
            self._init_attention_seed()
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        p = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).softmax(-1)
        return self.dropout(p) @ v


class Reformer(nn.Module):
    def __init__(self, layers, dim, attention_dropout):
        super().__init__()
        self.attn = nn.ModuleList([LocalSelfAttention(dim, attention_dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        for a in self.attn:
            x = x + a(self.norm(x))
        return x
