from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import einsum, nn

Return = namedtuple("Return", ["logits", "mems", "attn"])

# helpers


def exists(val):
    return val is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


def split_heads(t, h):
    b, n, d = t.shape
    return t.reshape(b, n, h, d // h).transpose(1, 2)


# classes


class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class GEGLU(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return F.gelu(gate) * x


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim)
        )

    def forward(self, x):
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, mem=None):
        n = x.shape[1]
        kv_input = torch.cat((mem, x), dim=1) if exists(mem) else x
        q, (k, v) = self.to_q(x), self.to_kv(kv_input).chunk(2, dim=-1)
        q, k, v = (split_heads(t, self.heads) for t in (q, k, v))
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        j = k.shape[-2]
        causal_mask = torch.ones((n, j), dtype=torch.bool, device=x.device).triu(j - n + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.transpose(1, 2).flatten(2)), attn


class ThicketXL(nn.Module):
    def __init__(self, *, num_tokens, dim=32, depth=2, heads=2, max_mem_len=40, shift_mem_down=0):
        super().__init__()
        self.max_mem_len = max_mem_len
        self.shift_mem_down = shift_mem_down
        self.token_emb = nn.Embedding(num_tokens, dim)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(
                nn.ModuleList([PreNorm(dim, Attention(dim, heads)), PreNorm(dim, FeedForward(dim))])
            )
        self.to_logits = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, num_tokens))

    def forward(self, x, mems=None, return_attn=False):
        x = self.token_emb(x)
        mems = default(mems, lambda: [None] * len(self.layers))
        hiddens, attns = [], []
        for (attn, ff), mem in zip(self.layers, mems, strict=True):
            hiddens.append(x)
            out, scores = attn(x, mem=mem)
            attns.append(scores)
            x = x + out
            x = x + ff(x)
        new_mems = []
        for mem, hidden in zip(mems, hiddens, strict=True):
            mem = torch.cat((mem, hidden), dim=1) if exists(mem) else hidden
            new_mems.append(mem[:, -self.max_mem_len :].detach())
        attn = None
        if return_attn:
            p = torch.stack(attns)[..., -1, :]
            attn = -(p * p.clamp(min=1e-6).log()).sum(-1).mean(dim=(1, 2))
        return Return(self.to_logits(x), new_mems, attn)
