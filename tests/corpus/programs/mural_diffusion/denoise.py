"""A denoiser that may look at its own first guess."""

import random

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, channels=1, width=8):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(2, width), nn.SiLU())
        self.first = nn.Conv2d(2 * channels, width, 3, padding=1)
        self.rest = nn.Sequential(
            nn.GroupNorm(2, width), nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1)
        )

    def forward(self, noisy, time, guess):
        embedded = self.time(torch.stack([time, time.square()], 1))[:, :, None, None]
        return self.rest(self.first(torch.cat([noisy, guess], 1)) + embedded)

    def self_conditioned(self, noisy, time, chance=0.5):
        guess = torch.zeros_like(noisy)
        if random.random() < chance:
            with torch.no_grad():
                guess = self(noisy, time, guess)
        return self(noisy, time, guess)


class Schedule:
    """A cosine schedule whose noise is shifted up as training goes on."""

    def __init__(self, shift=1.0):
        self.shift = shift

    def noisy(self, clean, time):
        angle = time[:, None, None, None] ** self.shift * torch.pi / 2
        return angle.cos() * clean + angle.sin() * torch.randn_like(clean)
