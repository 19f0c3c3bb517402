"""A small denoiser with time and class embeddings."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, timesteps, classes, width=12, drop_class=0.2):
        super().__init__()
        self.classes, self.drop_class = classes, drop_class
        self.time = nn.Embedding(timesteps, width)
        self.label = nn.Embedding(classes + 1, width)
        self.into = nn.Conv2d(1, width, 3, padding=1)
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(width, width, 2, stride=2)
        self.norm = nn.GroupNorm(3, width)
        self.out = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, t, condition):
        if self.training:
            dropped = torch.rand(len(condition)) < self.drop_class
            condition = torch.where(dropped, self.classes, condition)
        embedded = self.time(t) + self.label(condition)
        h = self.into(x) + embedded[:, :, None, None]
        h = h + self.up(torch.nn.functional.silu(self.down(h)))
        return self.out(torch.nn.functional.silu(self.norm(h)))
