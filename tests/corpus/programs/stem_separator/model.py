"""Masks of a spectrogram, one for each stem."""

import torch
from stems import STEMS
from torch import nn


class Separator(nn.Module):
    def __init__(self, bins=10, width=16):
        super().__init__()
        self.body = nn.GRUCell(bins, width)
        self.bias = nn.Parameter(torch.zeros(len(STEMS), bins))
        self.mask = nn.Linear(width, bins)

    def query(self, stem):
        return self.bias[STEMS.index(stem)]

    def forward(self, mixture, job):
        hidden = self.body(mixture)
        mask = torch.sigmoid(self.mask(hidden) + self.query(job.stem))
        return job.gain * mask * mixture
