"""A denoiser of points, conditioned on a class and on its own previous guess."""

import torch
from torch import nn


class TimeEmbedding(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("frequencies", torch.logspace(0, -3, width // 2))
        self.project = nn.Linear(width, width)

    def forward(self, t):
        angles = t[:, None] * self.frequencies
        return self.project(torch.cat([angles.sin(), angles.cos()], 1))


class Denoiser(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.time = TimeEmbedding(width)
        self.label = nn.Embedding(config.classes, width)
        self.null_label = nn.Parameter(torch.zeros(width))
        self.enter = nn.Linear(4, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.leave = nn.Linear(width, 2)

    def forward(self, x, t, guess, label=None):
        hidden = self.enter(torch.cat([x, guess], 1)) + self.time(t)
        condition = self.null_label if label is None else self.label(label)
        hidden = hidden + condition
        return self.leave(hidden + self.body(hidden))
