"""Estimates porosity along a core."""

import torch
from torch import nn


class PorosityNet(nn.Module):
    def __init__(self, channels=5, width=16):
        super().__init__()
        self.mix = nn.Conv1d(channels, width, 5, padding=2)
        self.read = nn.Conv1d(width, 1, 1)

    @staticmethod
    def sane(log):
        """Sensors that went off the scale are brought back to it."""
        largest = log.abs().max()
        if largest > 20:
            log = log * (20 / largest)
        return log

    def forward(self, log):
        hidden = torch.tanh(self.mix(self.sane(log).transpose(1, 2)))
        return self.read(hidden).squeeze(1).sigmoid()
