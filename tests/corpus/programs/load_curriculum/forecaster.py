"""Forecasts hour by hour, from its own forecasts."""

import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, history=24, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(history, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, window, horizon):
        forecasts = []
        for _ in range(horizon):
            value = self.net(window)
            window = torch.cat([window[:, 1:], value], dim=1)
            forecasts.append(value)
        return torch.cat(forecasts, dim=1)


def pinball(forecast, actual, quantile=0.5):
    error = actual - forecast
    loss = torch.maximum(quantile * error, (quantile - 1) * error).mean()
    if torch.isnan(loss):
        print("loss is not a number")
    return loss
