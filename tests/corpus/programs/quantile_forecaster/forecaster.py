"""Forecasts quantiles, channel by channel."""

import torch
from torch import nn


class QuantileForecaster(nn.Module):
    def __init__(self, history=12, horizon=3, quantiles=(0.1, 0.5, 0.9)):
        super().__init__()
        self.register_buffer("quantiles", torch.tensor(quantiles))
        self.body = nn.Sequential(nn.Linear(history, 16), nn.ELU())
        self.head = nn.Linear(16, horizon * len(quantiles))
        self.horizon = horizon

    def forward(self, history):
        if history.dim() == 2:
            history = torch.stack([history, history], -1)
        channels = history.transpose(1, 2)
        level = channels.mean(-1, keepdim=True)
        answer = self.head(self.body(channels - level)).unflatten(-1, (self.horizon, -1))
        return (answer + level[..., None]).transpose(1, 2)


def pinball(answer, future, quantiles):
    error = future[..., None] - answer
    return torch.maximum(quantiles * error, (quantiles - 1) * error).mean()
