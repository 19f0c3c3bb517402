"""A variational autoencoder of rises, with free bits."""

import torch
from torch import nn


class RiseVAE(nn.Module):
    def __init__(self, hours=12, latent=3, width=16):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(hours, width), nn.ELU(), nn.Linear(width, 2 * latent))
        self.decode = nn.Sequential(nn.Linear(latent, width), nn.ELU(), nn.Linear(width, hours))

    def forward(self, rise):
        mean, log = self.encode(rise).chunk(2, -1)
        latent = mean + torch.randn_like(mean) * (log / 2).exp()
        return self.decode(latent), mean, log


def divergence(mean, log, free):
    each = 0.5 * (mean**2 + log.exp() - 1 - log)
    return each.mean(0).clamp(min=free).sum()
