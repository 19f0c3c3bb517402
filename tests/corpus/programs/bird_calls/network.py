"""A small convolutional network over mel spectrograms."""

import logging

import torch
from torch import nn

logger = logging.getLogger("birds")


class Block(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.conv = nn.Conv1d(inside, outside, 3, padding=1)
        self.norm = nn.BatchNorm1d(outside)

    def forward(self, frames):
        return torch.relu(self.norm(self.conv(frames)))


class CallNet(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.stem = Block(config.mels, 24)
        self.body = nn.ModuleList(Block(24, 24) for _ in range(2))
        self.head = nn.Linear(24, config.species)

    def forward(self, mels):
        hidden = self.stem(mels.clamp_min(1e-5).log())
        for block in self.body:
            hidden = hidden + block(hidden)
        logger.debug("features of %s", tuple(hidden.shape))
        return self.head(hidden.amax(-1))
