"""Noise levels after Karras et al., and the preconditioning that goes with them."""

import math
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Karras:
    low: float = 0.02
    high: float = 8.0
    rho: float = 5.0
    data: float = 0.5

    def ladder(self, rungs):
        ramp = np.linspace(0, 1, rungs)
        low, high = self.low ** (1 / self.rho), self.high ** (1 / self.rho)
        return [*((high + ramp * (low - high)) ** self.rho).tolist(), 0.0]

    def draw(self, rows):
        return torch.exp(torch.randn(rows, 1, 1, 1) * 1.2 - 1.2)

    def weight(self, sigma):
        return (sigma**2 + self.data**2) / (sigma * self.data) ** 2


def interval(sigma, low=0.1, high=2.0):
    """Guidance only in the middle of the ladder."""
    if not low < sigma < high:
        return 0.0
    return 1.0 + 2.0 * math.sin(math.pi * (sigma - low) / (high - low))
