"""A generator and a critic of spectra of cheese."""

import itertools

from torch import nn


def stack(*sizes, act=nn.LeakyReLU):
    layers = []
    for a, b in itertools.pairwise(sizes):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers[:-1])


class Generator(nn.Module):
    def __init__(self, latent, bands):
        super().__init__()
        self.latent = latent
        self.net = stack(latent, 24, bands, act=nn.Softplus)

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.net = stack(bands, 24, 12, 1)

    def forward(self, spectrum):
        return self.net(spectrum).squeeze(-1)


def freeze(net, on=True):
    for parameter in net.parameters():
        parameter.requires_grad_(not on)
