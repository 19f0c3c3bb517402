"""Forecasts power from measurements, of which some may be missing."""

import logging

import torch
from torch import nn

logger = logging.getLogger("turbines")


class Forecaster(nn.Module):
    def __init__(self, hours=16, channels=3, width=20):
        super().__init__()
        self.seasonal = nn.Conv1d(channels, width, 4, stride=4)
        self.trend = nn.Linear(hours * channels, width)
        self.head = nn.Linear(width, 1)

    def forward(self, signal):
        if torch.isnan(signal).any():
            signal = torch.nan_to_num(signal)
        trend = self.trend(signal.flatten(1))
        seasonal = self.seasonal(signal.mT).mean(-1)
        logger.debug("trend of %d turbines, %d hours", *signal.shape[:2])
        return self.head((trend + seasonal).relu())
