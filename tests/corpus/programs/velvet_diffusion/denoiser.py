import math

import torch
from torch import nn


def exists(x):
    return x is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim, theta=10000):
        super().__init__()
        self.dim, self.theta = dim, theta

    def forward(self, x):
        half = self.dim // 2
        freq = torch.exp(torch.arange(half) * -(math.log(self.theta) / (half - 1)))
        emb = x[:, None] * freq[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class ResBlock(nn.Module):
    def __init__(self, dim, time_dim, groups=4):
        super().__init__()
        self.norm = nn.GroupNorm(groups, dim)
        self.conv = nn.Conv2d(dim, dim, 3, padding=1)
        self.time = nn.Linear(time_dim, 2 * dim)
        self.act = nn.SiLU()

    def forward(self, x, t):
        scale, shift = self.time(self.act(t))[:, :, None, None].chunk(2, dim=1)
        return x + self.conv(self.act(self.norm(x) * (scale + 1) + shift))


class Denoiser(nn.Module):
    def __init__(self, channels=1, dim=8, classes=4, depth=2, self_condition=True):
        super().__init__()
        self.channels, self.self_condition = channels, self_condition
        self.init_conv = nn.Conv2d(channels * (1 + self_condition), dim, 3, padding=1)
        self.time = nn.Sequential(
            SinusoidalPosEmb(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, 2 * dim)
        )
        self.classes = nn.Embedding(classes, 2 * dim)
        self.null = nn.Parameter(torch.randn(2 * dim))
        self.blocks = nn.ModuleList(ResBlock(dim, 2 * dim) for _ in range(depth))
        self.final = nn.Conv2d(dim, channels, 1)

    def forward(self, x, time, classes, keep, x_self_cond=None):
        if self.self_condition:
            x_self_cond = default(x_self_cond, lambda: torch.zeros_like(x))
            x = torch.cat((x_self_cond, x), dim=1)
        cond = torch.where(keep[:, None], self.classes(classes), self.null)
        t = self.time(time.float()) + cond
        x = self.init_conv(x)
        for block in self.blocks:
            x = block(x, t)
        return self.final(x)
