"""The architectures that are searched."""

from dataclasses import dataclass
from functools import partial
from itertools import product

import torch
from torch import nn

ACTIVATIONS = {
    "relu": nn.ReLU,
    "leaky": partial(nn.LeakyReLU, 0.1),
    "sine": lambda: Sine(3.0),
}


class Sine(nn.Module):
    def __init__(self, frequency):
        super().__init__()
        self.frequency = frequency

    def forward(self, values):
        return torch.sin(self.frequency * values)


@dataclass(frozen=True)
class Architecture:
    depth: int
    activation: str

    def built(self, inputs=9, width=14, kinds=3):
        layers = []
        for number in range(self.depth):
            layers.append(nn.Linear(inputs if number == 0 else width, width))
            layers.append(ACTIVATIONS[self.activation]())
        return nn.Sequential(*layers, nn.Linear(width, kinds))


def candidates():
    for depth, activation in product((1, 3), ACTIVATIONS):
        yield Architecture(depth, activation)
