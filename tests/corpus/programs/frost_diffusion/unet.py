import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def timestep_embedding(timesteps, dim, max_period=10_000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half) / half)
    args = timesteps[:, None].float() * freqs
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, channels, emb_dim):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.emb = nn.Linear(emb_dim, channels)

    def forward(self, x, emb):
        h = F.silu(self.norm(x)) + self.emb(emb)[:, :, None, None]
        return x + self.conv(h)


class FrostUNet(nn.Module):
    def __init__(self, channels=8, emb_dim=16, in_channels=1):
        super().__init__()
        self.emb_dim = emb_dim
        self.gradient_checkpointing = False
        self.time = nn.Sequential(nn.Linear(emb_dim, emb_dim), nn.SiLU())
        self.enter = nn.Conv2d(in_channels, channels, 3, padding=1)
        self.down = ResBlock(channels, emb_dim)
        self.middle = ResBlock(channels, emb_dim)
        self.leave = nn.Conv2d(2 * channels, in_channels, 3, padding=1)

    def enable_gradient_checkpointing(self):
        self.gradient_checkpointing = True

    def run_block(self, block, x, emb):
        if self.training and self.gradient_checkpointing:
            return checkpoint(block, x, emb, use_reentrant=False)
        return block(x, emb)

    def forward(self, x, timesteps, cond):
        emb = self.time(timestep_embedding(timesteps, self.emb_dim)) + cond
        skip = self.run_block(self.down, self.enter(x), emb)
        h = self.run_block(self.middle, F.avg_pool2d(skip, 2), emb)
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        return self.leave(torch.cat([h, skip], dim=1))
