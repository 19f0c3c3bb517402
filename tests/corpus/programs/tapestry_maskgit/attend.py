import torch
from torch import nn


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


class RelativeBias(nn.Module):
    """T5-like distances, but continuous, and kept by length."""

    def __init__(self, heads, max_distance=64):
        super().__init__()
        self.slopes = nn.Parameter(0.5 ** torch.arange(1, heads + 1).float())
        self.max_distance = max_distance
        self.cache = {}

    def distances(self, n):
        if n not in self.cache:
            pos = torch.arange(n)
            dist = (pos[:, None] - pos[None, :]).abs().clamp(max=self.max_distance)
            self.cache[n] = dist.float()
        return self.cache[n]

    def forward(self, n):
        return -self.slopes[:, None, None] * self.distances(n)


class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=8, dim_context=None):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.to_q = nn.Linear(dim, heads * dim_head, bias=False)
        self.to_kv = nn.Linear(default(dim_context, dim), heads * dim_head * 2, bias=False)
        self.to_out = nn.Linear(heads * dim_head, dim, bias=False)

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, context=None, bias=None):
        x = self.norm(x)
        k, v = self.to_kv(default(context, x)).chunk(2, dim=-1)
        q, k, v = map(self.split, (self.to_q(x), k, v))
        sim = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        if exists(bias):
            sim = sim + bias
        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).flatten(2))
