"""Weighs gravel by its outlines."""

import logging
from dataclasses import dataclass

import torch
from torch import nn

logger = logging.getLogger(__name__)


@dataclass
class Settings:
    features: int = 6
    width: int = 16
    depth: int = 3
    verbose: bool = True


class Layer(nn.Module):
    def __init__(self, number, width):
        super().__init__()
        self.number = number
        self.linear = nn.Linear(width, width)

    def forward(self, stones):
        return stones + torch.tanh(self.linear(stones)) / (1 + self.number)


class Weigher(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.enter = nn.Linear(settings.features, settings.width)
        self.layers = nn.ModuleList([Layer(n, settings.width) for n in range(settings.depth)])
        self.leave = nn.Linear(settings.width, 1)
        self.register_buffer("temperature", torch.tensor(1.0))

    def forward(self, outlines):
        if self.settings.verbose and not torch.compiler.is_compiling():
            logger.info("%d stones, %.2f", len(outlines), outlines.mean().item())
        stones = self.enter(outlines)
        for layer in self.layers:
            stones = layer(stones)
        share = torch.sigmoid(stones / self.temperature)
        return self.leave(share).sum()
