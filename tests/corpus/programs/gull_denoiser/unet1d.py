import math

import torch
from helpers import default, exists
from torch import nn


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim, theta=10000):
        super().__init__()
        self.dim, self.theta = dim, theta

    def forward(self, times):
        half = self.dim // 2
        freqs = torch.exp(torch.arange(half) * -(math.log(self.theta) / (half - 1)))
        angles = times[:, None] * freqs[None]
        return torch.cat((angles.sin(), angles.cos()), dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.g = nn.Parameter(torch.ones(1, dim, 1))

    def forward(self, x):
        return nn.functional.normalize(x, dim=1) * self.g * (x.shape[1] ** 0.5)


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, time_dim):
        super().__init__()
        self.to_scale_shift = nn.Linear(time_dim, dim_out * 2)
        self.proj = nn.Conv1d(dim, dim_out, 3, padding=1)
        self.norm = RMSNorm(dim_out)
        self.res = nn.Conv1d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, t):
        scale, shift = self.to_scale_shift(t)[..., None].chunk(2, dim=1)
        h = self.norm(self.proj(x)) * (scale + 1) + shift
        return nn.functional.silu(h) + self.res(x)


class Unet1D(nn.Module):
    def __init__(self, dim, channels=1, self_condition=False, out_dim=None):
        super().__init__()
        self.self_condition = self_condition
        self.channels = channels
        self.init_conv = nn.Conv1d(channels * (2 if self_condition else 1), dim, 7, padding=3)
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, dim), nn.GELU())
        self.down = ResnetBlock(dim, dim * 2, dim)
        self.up = ResnetBlock(dim * 3, dim, dim)
        self.final_conv = nn.Conv1d(dim, default(out_dim, channels), 1)

    def forward(self, x, time, x_self_cond=None):
        if self.self_condition:
            x_self_cond = x_self_cond if exists(x_self_cond) else torch.zeros_like(x)
            x = torch.cat((x_self_cond, x), dim=1)
        x = self.init_conv(x)
        t = self.time_mlp(time)
        h = self.down(nn.functional.avg_pool1d(x, 2), t)
        h = nn.functional.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.final_conv(self.up(torch.cat((x, h), dim=1), t))
