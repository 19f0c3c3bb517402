"""A forecast that says how sure it is."""

import torch
from torch import nn
from torch.nn import functional


class Forecast(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.Tanh())
        self.mean = nn.Linear(width, 1)
        self.scale = nn.Linear(width, 1)

    def forward(self, sea):
        x = self.body(sea)
        return self.mean(x).squeeze(-1), functional.softplus(self.scale(x)).squeeze(-1) + 0.1


def student(mean, scale, delay, freedom):
    """The negative log-likelihood of Student's t, without its constant."""
    z = (delay - mean) / scale
    return (scale.log() + 0.5 * (freedom + 1) * torch.log1p(z.square() / freedom)).mean()
