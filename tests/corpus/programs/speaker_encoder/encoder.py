"""A speaker encoder with statistics pooling."""

import torch
from torch import nn


class SpeakerEncoder(nn.Module):
    def __init__(self, bands=12, width=16, speakers=6):
        super().__init__()
        self.frames = nn.Sequential(nn.Linear(bands, width), nn.ReLU(), nn.Linear(width, width))
        self.embed = nn.Linear(2 * width, width)
        self.classify = nn.Linear(width, speakers)

    def forward(self, spectra):
        frames = self.frames(spectra)
        mean = frames.mean(1)
        spread = (frames - mean.unsqueeze(1)).square().mean(1)
        return self.classify(self.embed(torch.cat([mean, spread], 1)).relu())
