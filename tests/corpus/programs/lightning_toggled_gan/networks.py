"""A generator and a critic of sequences."""

from torch import nn


class Generator(nn.Module):
    def __init__(self, latent=4, length=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, 24), nn.ReLU(), nn.Linear(24, length))

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self, length=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(length, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))

    def forward(self, x):
        return self.net(x)
