"""Contrastive learning of two views of a series."""

import torch
from torch import nn
from torch.nn import functional


class SeriesEncoder(nn.Module):
    def __init__(self, length=16, width=12):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(length, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, x):
        return functional.normalize(self.net(x), dim=-1)


class ContrastiveStep:
    def __init__(self, encoder):
        self.encoder = encoder
        self.loss = torch.compile(self._loss, backend="aot_eager")

    def _loss(self, series, augment, sharpness):
        first, second = self.encoder(series), self.encoder(augment(series))
        scores = first @ second.t() * sharpness
        return functional.cross_entropy(scores, torch.arange(scores.shape[0]))
