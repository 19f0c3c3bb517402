import math

import torch
import torch.nn.functional as F
from torch import nn

# helpers


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else d


def divisible_by(numer, denom):
    return (numer % denom) == 0


# classes


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim, theta=10000):
        super().__init__()
        self.dim, self.theta = dim, theta

    def forward(self, x):
        half = self.dim // 2
        freqs = torch.exp(torch.arange(half) * -(math.log(self.theta) / (half - 1)))
        emb = x[:, None] * freqs[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class Block(nn.Module):
    def __init__(self, dim, time_dim):
        super().__init__()
        self.norm = nn.GroupNorm(2, dim)
        self.proj = nn.Conv1d(dim, dim, 3, padding=1)
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_dim, dim * 2))

    def forward(self, x, t):
        scale, shift = self.mlp(t).unsqueeze(-1).chunk(2, dim=1)
        return F.silu(self.proj(self.norm(x) * (scale + 1) + shift))


class Unet1D(nn.Module):
    """profiles of pots: the radius at 32 heights"""

    def __init__(self, dim=8, channels=1, self_condition=True, depth=2):
        super().__init__()
        self.channels, self.self_condition = channels, self_condition
        self.init_conv = nn.Conv1d(channels * (2 if self_condition else 1), dim, 7, padding=3)
        self.time_mlp = nn.Sequential(
            SinusoidalPosEmb(dim), nn.Linear(dim, dim * 4), nn.GELU(), nn.Linear(dim * 4, dim * 4)
        )
        self.blocks = nn.ModuleList([Residual(Block(dim, dim * 4)) for _ in range(depth)])
        self.final = nn.Conv1d(dim, default(None, channels), 1)

    def forward(self, x, time, x_self_cond=None):
        if not torch.is_tensor(time):
            time = torch.full((x.shape[0],), time)
        if self.self_condition:
            x_self_cond = default(x_self_cond, torch.zeros_like(x))
            x = torch.cat((x_self_cond, x), dim=1)
        t = self.time_mlp(time)
        x = self.init_conv(x)
        for block in self.blocks:
            x = block(x, t)
        return self.final(x)
