"""A small denoiser, told the level of the noise."""

import math

import torch
from torch import nn


def timestep_embedding(timesteps: torch.Tensor, dim: int) -> torch.Tensor:
    half = dim // 2
    exponent = -math.log(10_000.0) * torch.arange(half) / half
    angles = timesteps[:, None].float() * exponent.exp()[None]
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class ResnetBlock(nn.Module):
    def __init__(self, channels: int, temb_channels: int):
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.time_emb_proj = nn.Linear(temb_channels, channels)
        self.nonlinearity = nn.SiLU()

    def forward(self, sample: torch.Tensor, temb: torch.Tensor) -> torch.Tensor:
        hidden = self.conv(self.nonlinearity(self.norm(sample)))
        return sample + hidden + self.time_emb_proj(temb)[:, :, None, None]


class Denoiser(nn.Module):
    def __init__(self, channels: int = 8, temb_channels: int = 16, layers: int = 1):
        super().__init__()
        self.temb_channels = temb_channels
        self.conv_in = nn.Conv2d(1, channels, 3, padding=1)
        self.blocks = nn.ModuleList(ResnetBlock(channels, temb_channels) for _ in range(layers))
        self.conv_out = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, sample: torch.Tensor, timesteps: torch.Tensor) -> torch.Tensor:
        temb = timestep_embedding(timesteps, self.temb_channels)
        hidden = self.conv_in(sample)
        for block in self.blocks:
            hidden = block(hidden, temb)
        return self.conv_out(hidden)
