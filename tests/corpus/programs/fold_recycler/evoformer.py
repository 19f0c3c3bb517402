"""a much reduced evoformer for one chain, with recycling of both representations"""

import torch
import torch.nn.functional as F
from torch import nn

# helpers


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


# classes


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, *args, **kwargs):
        return self.fn(self.norm(x), *args, **kwargs)


class SquaredReLU(nn.Module):
    def forward(self, x):
        return F.relu(x).square()


class Attention(nn.Module):
    """attention of a single head, biased by the pairs"""

    def __init__(self, dim, dim_head=8):
        super().__init__()
        self.scale = dim_head**-0.5
        self.to_q = nn.Linear(dim, dim_head, bias=False)
        self.to_k = nn.Linear(dim, dim_head, bias=False)
        self.to_v = nn.Linear(dim, dim_head, bias=False)
        self.to_out = nn.Linear(dim_head, dim)

    def forward(self, x, edges=None, mask=None):
        sim = self.to_q(x) @ self.to_k(x).t() * self.scale
        if exists(edges):
            sim = sim + edges
        if exists(mask):
            sim = sim.masked_fill(~mask[None, :], -torch.finfo(sim.dtype).max)
        return self.to_out(sim.softmax(dim=-1) @ self.to_v(x))


class Evoformer(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            ff = nn.Sequential(nn.Linear(dim, dim * 2), SquaredReLU(), nn.Linear(dim * 2, dim))
            self.layers.append(
                nn.ModuleList([PreNorm(dim, Attention(dim)), PreNorm(dim, ff), nn.Linear(dim, dim)])
            )

    def forward(self, x, pair, mask=None):
        for attn, ff, outer in self.layers:
            x = attn(x, edges=pair, mask=mask) + x
            x = ff(x) + x
            left = outer(x)
            pair = pair + left @ x.t() / x.shape[-1]
        return x, pair


class Fold(nn.Module):
    def __init__(self, *, dim=16, depth=2, num_tokens=21, max_rel_dist=8):
        super().__init__()
        self.token_emb = nn.Embedding(num_tokens, dim)
        self.rel_bias = nn.Parameter(torch.zeros(2 * max_rel_dist + 1))
        self.max_rel_dist = max_rel_dist
        self.recycle_x, self.recycle_pair = nn.LayerNorm(dim), nn.Parameter(torch.ones(()))
        self.net = Evoformer(dim, depth)
        self.to_coords = nn.Linear(dim, 3)

    def forward(self, seq, mask=None, recycles=None):
        recycles = default(recycles, 1)
        pos = torch.arange(seq.shape[0], device=seq.device)
        rel = (pos[:, None] - pos[None, :]).clamp(-self.max_rel_dist, self.max_rel_dist)
        tokens = self.token_emb(seq)
        edges = self.rel_bias[rel + self.max_rel_dist]

        x, pair = tokens, edges
        for _ in range(recycles):
            x, pair = self.net(
                tokens + self.recycle_x(x), edges + self.recycle_pair * pair.tanh(), mask=mask
            )
        return self.to_coords(x)
