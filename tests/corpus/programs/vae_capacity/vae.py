"""A variational autoencoder with a capacity that is controlled from outside."""

import torch
from torch import nn
from torch.nn import functional


class Vae(nn.Module):
    def __init__(self, features=16, latent=4, width=24):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(features, width), nn.ReLU())
        self.to_moments = nn.Linear(width, 2 * latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, width), nn.ReLU(), nn.Linear(width, features)
        )
        self.capacity = 0.0

    def forward(self, x, noise):
        mean, log_variance = self.to_moments(self.encoder(x)).chunk(2, 1)
        code = mean + (0.5 * log_variance).exp() * noise
        kl = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1)
        reconstruction = functional.mse_loss(self.decoder(code), x)
        return reconstruction + 0.1 * torch.abs(kl - self.capacity).mean()
