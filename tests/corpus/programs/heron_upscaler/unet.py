import math

import torch
from torch import nn


def timestep_embedding(timesteps, dim):
    exponent = -math.log(10000) * torch.arange(dim // 2) / (dim // 2)
    emb = timesteps[:, None].float() * exponent.exp()[None, :]
    return torch.cat([emb.sin(), emb.cos()], dim=-1)


class ResnetBlock(nn.Module):
    def __init__(self, channels, temb_channels, dropout=0.0):
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.time_emb_proj = nn.Linear(temb_channels, channels)
        self.dropout = nn.Dropout(dropout)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, hidden_states, temb):
        hidden = self.conv1(nn.functional.silu(self.norm(hidden_states)))
        hidden = hidden + self.time_emb_proj(nn.functional.silu(temb))[:, :, None, None]
        return hidden_states + self.conv2(self.dropout(nn.functional.silu(hidden)))


class UpscalerUNet(nn.Module):
    """Predicts noise, given a noisy large picture and the small one."""

    def __init__(self, channels=12, temb_channels=16, dropout=0.1):
        super().__init__()
        self.temb_channels = temb_channels
        self.gradient_checkpointing = False
        self.conv_in = nn.Conv2d(6, channels, 3, padding=1)
        self.blocks = nn.ModuleList(
            [ResnetBlock(channels, temb_channels, dropout) for _ in range(2)]
        )
        self.conv_out = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, sample, timestep, low_res, keep=None):
        temb = timestep_embedding(timestep, self.temb_channels)
        if keep is None:
            keep = torch.ones(len(sample))
        low_res = low_res.repeat_interleave(2, -1).repeat_interleave(2, -2)
        hidden = self.conv_in(torch.cat([sample, low_res * keep.view(-1, 1, 1, 1)], dim=1))
        for block in self.blocks:
            hidden = block(hidden, temb)
        return self.conv_out(hidden)
