import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def get_timestep_embedding(timesteps: torch.Tensor, dim: int) -> torch.Tensor:
    half = dim // 2
    exponent = -math.log(1000) * torch.arange(half) / half
    emb = timesteps[:, None].float() * torch.exp(exponent)[None, :]
    return torch.cat([torch.sin(emb), torch.cos(emb)], dim=-1)


class ResnetBlock2D(nn.Module):
    def __init__(self, channels: int, temb_channels: int):
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.time_emb_proj = nn.Linear(temb_channels, channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, hidden_states, temb):
        residual = hidden_states
        hidden_states = self.conv1(F.silu(self.norm(hidden_states)))
        hidden_states = hidden_states + self.time_emb_proj(F.silu(temb))[:, :, None, None]
        return residual + self.conv2(F.silu(hidden_states))


class UNetTiny(nn.Module):
    _supports_gradient_checkpointing = True

    def __init__(self, in_channels: int = 4, channels: int = 8, layers: int = 1):
        super().__init__()
        self.gradient_checkpointing = False
        self.conv_in = nn.Conv2d(in_channels, channels, 3, padding=1)
        self.time_embedding = nn.Sequential(
            nn.Linear(channels, 2 * channels), nn.SiLU(), nn.Linear(2 * channels, 2 * channels)
        )
        self.text_proj = nn.Linear(6, 2 * channels)
        self.blocks = nn.ModuleList(ResnetBlock2D(channels, 2 * channels) for _ in range(layers))
        self.conv_out = nn.Conv2d(channels, in_channels, 3, padding=1)
        self.channels = channels

    def enable_gradient_checkpointing(self):
        self.gradient_checkpointing = True

    def forward(self, sample, timesteps, encoder_hidden_states):
        temb = self.time_embedding(get_timestep_embedding(timesteps, self.channels))
        temb = temb + self.text_proj(encoder_hidden_states)
        sample = self.conv_in(sample)
        for block in self.blocks:
            if self.training and self.gradient_checkpointing:
                sample = checkpoint(block, sample, temb, use_reentrant=False)
            else:
                sample = block(sample, temb)
        return self.conv_out(F.silu(sample))
