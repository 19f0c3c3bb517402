"""A small convolutional denoiser of snowflakes, conditioned on one of four shapes."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, schedule, channels=8, shapes=4):
        super().__init__()
        self.schedule = schedule
        self.shape = nn.Embedding(shapes, channels)
        self.noise = nn.Linear(1, channels)
        self.enter = nn.Conv2d(1, channels, 3, padding=1)
        self.body = nn.Sequential(
            nn.GroupNorm(2, channels), nn.SiLU(), nn.Conv2d(channels, channels, 3, padding=1)
        )
        self.leave = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, noisy, sigma, shape, guidance):
        spread = (sigma**2 + self.schedule.data**2) ** 0.5
        level = self.noise(torch.log(sigma).reshape(-1, 1) / 4)
        hidden = self.enter(noisy / spread)
        plain = self.leave(self.body(hidden + level[..., None, None]))
        if guidance:
            wanted = (level + self.shape(shape))[..., None, None]
            plain = plain + guidance * (self.leave(self.body(hidden + wanted)) - plain)
        skip = self.schedule.data**2 / spread**2
        return skip * noisy + sigma * self.schedule.data / spread * plain
