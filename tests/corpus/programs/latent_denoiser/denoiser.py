"""Predicts noise in latents from their time."""

import copy

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, latent=8, width=32, steps=50, dropout=0.1):
        super().__init__()
        self.time = nn.Embedding(steps, width)
        self.inward = nn.Linear(latent, width)
        self.block = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU())
        self.dropout = nn.Dropout(dropout)
        self.outward = nn.Linear(width, latent)

    def forward(self, noisy, times):
        hidden = self.inward(noisy) + self.time(times)
        return self.outward(hidden + self.dropout(self.block(hidden)))


class Average:
    """A copy whose weights follow those of a model, faster at first."""

    def __init__(self, model, decay=0.99):
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay
        self.updates = 0

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for slow, fast in zip(self.shadow.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 1 - decay)
