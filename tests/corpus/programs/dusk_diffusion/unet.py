import math

import torch
import torch.nn.functional as F
from schedules import default
from torch import nn


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half = self.dim // 2
        freqs = torch.exp(torch.arange(half) * -(math.log(10000) / (half - 1)))
        args = x[:, None].float() * freqs[None]
        return torch.cat((args.sin(), args.cos()), dim=-1)


class Block(nn.Module):
    def __init__(self, dim, dim_out=None, time_dim=16):
        super().__init__()
        dim_out = default(dim_out, dim)
        self.mlp = nn.Linear(time_dim, 2 * dim_out)
        self.proj = nn.Conv2d(dim, dim_out, 3, padding=1)
        self.norm = nn.GroupNorm(4, dim_out)
        self.res = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, t):
        scale, shift = self.mlp(F.silu(t))[..., None, None].chunk(2, dim=1)
        h = self.norm(self.proj(x)) * (scale + 1) + shift
        return F.silu(h) + self.res(x)


class Unet(nn.Module):
    def __init__(self, dim=8, channels=3, time_dim=16):
        super().__init__()
        self.time = nn.Sequential(SinusoidalPosEmb(time_dim), nn.Linear(time_dim, time_dim))
        self.inc = nn.Conv2d(channels, dim, 3, padding=1)
        self.down = Block(dim, 2 * dim)
        self.up = Block(3 * dim, dim)
        self.out = nn.Conv2d(dim, channels, 1)

    def forward(self, x, t):
        t = self.time(t)
        skip = self.inc(x)
        h = self.down(F.avg_pool2d(skip, 2), t)
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.out(self.up(torch.cat((h, skip), dim=1), t))
