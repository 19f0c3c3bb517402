"""A two-level UNet for height maps of dunes."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def timestep_embedding(timesteps: torch.Tensor, dim: int) -> torch.Tensor:
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    args = timesteps[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, channels: int, out_channels: int, emb_dim: int):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.conv = nn.Conv2d(channels, out_channels, 3, padding=1)
        self.emb = nn.Linear(emb_dim, out_channels)
        self.skip = nn.Conv2d(channels, out_channels, 1, bias=False)

    def forward(self, x: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        h = self.conv(F.silu(self.norm(x)))
        return self.skip(x) + h * self.emb(emb)[:, :, None, None]


class Bottleneck(nn.Module):
    """Wide inside, which is why its activations are not worth keeping."""

    def __init__(self, channels: int):
        super().__init__()
        self.mix = nn.Conv2d(channels, 2 * channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + F.glu(self.mix(x), dim=1)


class UNet(nn.Module):
    def __init__(self, channels: int = 8, emb_dim: int = 16, grad_checkpointing: bool = False):
        super().__init__()
        self.emb_dim = emb_dim
        self.grad_checkpointing = grad_checkpointing
        self.time = nn.Sequential(nn.Linear(emb_dim, emb_dim), nn.SiLU())
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.down = ResBlock(channels, 2 * channels, emb_dim)
        self.mid = Bottleneck(2 * channels)
        self.up = ResBlock(3 * channels, channels, emb_dim)
        self.out = nn.Conv2d(channels, 1, 3, padding=1)

    def _middle(self, h: torch.Tensor) -> torch.Tensor:
        if self.grad_checkpointing and self.training:
            return checkpoint(self.mid, h, use_reentrant=False)
        return self.mid(h)

    def forward(self, x: torch.Tensor, timesteps: torch.Tensor) -> torch.Tensor:
        emb = self.time(timestep_embedding(timesteps, self.emb_dim))
        first = self.stem(x)
        h = self.down(F.avg_pool2d(first, 2), emb)
        h = self._middle(h)
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        h = self.up(torch.cat([h, first], dim=1), emb)
        return self.out(h)
