"""The network and what it is asked to minimize."""

import torch
from torch import nn


class Huber(nn.Module):
    """Quadratic near zero, linear beyond `delta`."""

    def __init__(self, delta):
        super().__init__()
        self.delta = delta

    def forward(self, error):
        size = error.abs()
        near = 0.5 * size.square()
        far = self.delta * (size - 0.5 * self.delta)
        return torch.where(size < self.delta, near, far).mean()


class Objective(nn.Module):
    def __init__(self, config, features):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(features, config.width), nn.SiLU(), nn.Linear(config.width, 1)
        )
        self.criterion = Huber(config.delta)

    def forward(self, weather, rented):
        return self.criterion(self.network(weather).squeeze(-1) - rented)
