"""A small variational autoencoder of waves."""

import torch
from torch import nn


class WaveVAE(nn.Module):
    def __init__(self, samples=16, width=20, latent=3):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(samples, width), nn.ELU())
        self.moments = nn.Linear(width, 2 * latent)
        self.decode = nn.Sequential(nn.Linear(latent, width), nn.ELU(), nn.Linear(width, samples))
        self.seen = 0

    def forward(self, waves):
        self.seen += len(waves)
        mean, log_variance = self.moments(self.encode(waves)).chunk(2, -1)
        sampled = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(-1)
        return self.decode(sampled), divergence.mean()
