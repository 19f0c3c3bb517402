"""Forecasts the demand for electricity of the next hours."""

from objectives import OBJECTIVES
from torch import nn


class DemandForecaster(nn.Module):
    def __init__(self, past=24, ahead=6, width=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(past, width), nn.ELU(), nn.Linear(width, ahead))

    def forward(self, past):
        last = past[:, -1:]
        return last + self.net(past - last)

    def loss(self, past, demand, name):
        return OBJECTIVES[name](self(past) - demand)
