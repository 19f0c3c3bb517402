"""Spectra of stars: a continuum by temperature, and lines by gravity."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, x):
        return x + self.inner(x)


def stars(count, batch=8, bins=24):
    generator = torch.Generator().manual_seed(3)
    wavelength = torch.linspace(0.4, 0.9, bins)
    for _ in range(count):
        temperature = 0.5 + torch.rand(batch, 1, generator=generator)
        gravity = torch.rand(batch, 1, generator=generator)
        continuum = torch.exp(-(wavelength - 0.4) / temperature)
        lines = gravity * torch.exp(-((wavelength - 0.65) / 0.03).square())
        yield continuum - 0.4 * lines, torch.cat([temperature, gravity], 1)
