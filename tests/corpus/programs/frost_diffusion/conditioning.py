"""Temperature and humidity, under which a frost flower grew, as an embedding."""

import torch
from torch import nn


class WeatherEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.null = nn.Parameter(torch.zeros(dim))

    def forward(self, weather, drop_probability):
        emb = self.net(weather)
        dropped = torch.rand(len(weather), 1) < drop_probability
        return torch.where(dropped, self.null, emb)


def slow_down(emb, rate):
    """Let what made `emb` learn at a fraction of the denoiser's rate."""
    emb.register_hook(lambda grad, rate=rate: grad * rate)
    return emb
