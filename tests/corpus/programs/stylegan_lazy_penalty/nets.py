"""A generator and a discriminator of points."""

from torch import nn


def generator(latent=4, width=24):
    return nn.Sequential(nn.Linear(latent, width), nn.LeakyReLU(0.2), nn.Linear(width, 2))


def discriminator(width=24):
    return nn.Sequential(nn.Linear(2, width), nn.Softplus(), nn.Linear(width, 1))
