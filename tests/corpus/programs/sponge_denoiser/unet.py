"""A conditional U-Net in the usual shape: time embedding, class embedding, down, mid, up."""

import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class UNetConfig:
    in_channels: int = 1
    block_out_channels: tuple[int, int] = (8, 16)
    num_class_embeds: int = 4
    norm_num_groups: int = 4


@dataclass
class UNetOutput:
    sample: torch.Tensor


def get_timestep_embedding(timesteps: torch.Tensor, dim: int, max_period: int = 10000):
    half = dim // 2
    exponent = -math.log(max_period) * torch.arange(half, dtype=torch.float32) / half
    emb = timesteps[:, None].float() * exponent.exp()[None]
    return torch.cat([emb.sin(), emb.cos()], dim=-1)


class ResnetBlock(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, temb: int, groups: int):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups if in_channels % groups == 0 else 1, in_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.time_emb_proj = nn.Linear(temb, out_channels)
        self.norm2 = nn.GroupNorm(groups, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.nonlinearity = nn.SiLU()
        self.conv_shortcut = (
            nn.Conv2d(in_channels, out_channels, 1) if in_channels != out_channels else None
        )

    def forward(self, hidden: torch.Tensor, temb: torch.Tensor) -> torch.Tensor:
        residual = hidden
        hidden = self.conv1(self.nonlinearity(self.norm1(hidden)))
        hidden = hidden + self.time_emb_proj(self.nonlinearity(temb))[:, :, None, None]
        hidden = self.conv2(self.nonlinearity(self.norm2(hidden)))
        if self.conv_shortcut is not None:
            residual = self.conv_shortcut(residual)
        return hidden + residual


class UNet2DModel(nn.Module):
    def __init__(self, config: UNetConfig):
        super().__init__()
        self.config = config
        low, high = config.block_out_channels
        temb, groups = 4 * low, config.norm_num_groups
        self.time_embedding = nn.Sequential(nn.Linear(low, temb), nn.SiLU(), nn.Linear(temb, temb))
        self.class_embedding = nn.Embedding(config.num_class_embeds + 1, temb)
        self.conv_in = nn.Conv2d(config.in_channels, low, 3, padding=1)
        self.down = ResnetBlock(low, low, temb, groups)
        self.downsample = nn.Conv2d(low, low, 3, stride=2, padding=1)
        self.mid = ResnetBlock(low, high, temb, groups)
        self.upsample = nn.Upsample(scale_factor=2.0, mode="nearest")
        self.up = ResnetBlock(high + low, low, temb, groups)
        self.conv_out = nn.Conv2d(low, config.in_channels, 3, padding=1)

    def forward(
        self,
        sample: torch.Tensor,
        timestep: torch.Tensor | float | int,
        class_labels: torch.Tensor | None = None,
    ) -> UNetOutput:
        # 1. time
        timesteps = timestep
        if not torch.is_tensor(timesteps):
            timesteps = torch.tensor([timesteps], dtype=torch.long, device=sample.device)
        elif timesteps.ndim == 0:
            timesteps = timesteps[None]
        timesteps = timesteps.expand(sample.shape[0])
        emb = get_timestep_embedding(timesteps, self.config.block_out_channels[0])
        emb = self.time_embedding(emb)
        # 2. class
        if class_labels is not None:
            emb = emb + self.class_embedding(class_labels)
        # 3. down, mid, up
        skip = self.down(self.conv_in(sample), emb)
        hidden = self.mid(self.downsample(skip), emb)
        hidden = self.up(torch.cat([self.upsample(hidden), skip], dim=1), emb)
        return UNetOutput(sample=self.conv_out(hidden))
