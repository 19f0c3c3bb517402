"""Weeks attend to a season; sensors may be hidden."""

import torch
from torch import nn


class HideSensors(nn.Module):
    """Hide whole sensors in training, with a probability that may be changed."""

    def __init__(self, probability):
        super().__init__()
        self.probability = probability

    def forward(self, season):
        if not self.training:
            return season
        shown = torch.rand(season.shape[0], 1, season.shape[2]) >= self.probability
        return season * shown


class Harvest(nn.Module):
    def __init__(self, sensors=3, width=8, hide=0.1):
        super().__init__()
        self.hide = HideSensors(hide)
        self.embed = nn.Linear(sensors, width)
        self.query = nn.Parameter(torch.zeros(width))
        self.out = nn.Linear(width, 1)

    def forward(self, season, sharpness):
        weeks = torch.tanh(self.embed(self.hide(season)))
        attention = torch.softmax(weeks @ self.query * sharpness, dim=1)
        return self.out((attention.unsqueeze(-1) * weeks).sum(1)).squeeze(-1)
