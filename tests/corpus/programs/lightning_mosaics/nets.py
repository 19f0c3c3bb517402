import torch
from torch import nn
from torch.nn.utils import parametrizations


class Generator(nn.Module):
    def __init__(self, latent_dim, width=12):
        super().__init__()
        self.width = width
        self.project = nn.Linear(latent_dim, width * 4 * 4)
        self.norm = nn.BatchNorm2d(width)
        self.up = nn.ConvTranspose2d(width, 3, 4, stride=2, padding=1)

    def forward(self, z):
        x = self.project(z).view(z.shape[0], self.width, 4, 4)
        return torch.tanh(self.up(torch.relu(self.norm(x))))


class Discriminator(nn.Module):
    def __init__(self, width=12, dropout=0.2):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 4, stride=2, padding=1)
        self.drop = nn.Dropout(dropout)
        self.out = parametrizations.spectral_norm(nn.Linear(width * 4 * 4, 1))

    def forward(self, x, temperature=1.0):
        x = self.drop(nn.functional.leaky_relu(self.conv(x), 0.2))
        return self.out(x.flatten(1)).squeeze(1) / temperature
