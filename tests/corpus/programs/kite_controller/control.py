"""A controller that keeps count of itself, and an update written as one function."""

import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, width), nn.Tanh(), nn.Linear(width, 1))
        self.flown = 0
        self.best = float("inf")

    def forward(self, gust):
        return self.net(torch.cat([gust.speed, gust.angle], -1)).squeeze(-1)

    def landed(self, error):
        self.flown += 1
        self.best = min(self.best, error)


@torch.compile(backend="eager")
def nudge(parameters, gradients, velocities, rate):
    """Momentum; `rate` is a tensor, since it changes."""
    with torch.no_grad():
        for parameter, gradient, velocity in zip(parameters, gradients, velocities, strict=True):
            velocity.mul_(0.9).add_(gradient)
            parameter.sub_(rate * velocity)


def cosine(top, steps):
    return lambda step: top * 0.5 * (1 + torch.cos(torch.tensor(torch.pi * step / steps)))
