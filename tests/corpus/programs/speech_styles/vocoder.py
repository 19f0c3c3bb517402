"""Turns spectra into samples."""

import torch
from torch import nn


class Vocoder(nn.Module):
    def __init__(self, bands=12, hop=4):
        super().__init__()
        self.spread = nn.ConvTranspose1d(bands, 8, hop, stride=hop)
        self.smooth = nn.Conv1d(8, 1, 5, padding=2)

    def forward(self, spectra):
        return self.smooth(self.spread(spectra).tanh()).squeeze(1)


def calm(samples):
    return samples * 0.8


def bright(samples):
    return samples + 0.1 * torch.diff(samples, prepend=samples[:, :1])


def whispered(samples):
    return samples * torch.randn_like(samples).abs()
