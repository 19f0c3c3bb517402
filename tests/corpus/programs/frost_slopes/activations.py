"""Activations that harden while a network learns."""

from torch import nn
from torch.nn.functional import leaky_relu


class Clock:
    """How much of the training is over, for all who ask."""

    share = 0.0


class Hardening(nn.Module):
    """Nearly linear at first, a rectifier in the end."""

    def __init__(self, start=0.8):
        super().__init__()
        self.start = start

    @property
    def slope(self):
        return self.start * (1 - Clock.share)

    def forward(self, x):
        return leaky_relu(x, self.slope)


def block(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, outputs), Hardening())
