"""Which seal barked: a small network whose inner values are quantized."""

import torch
from quantize import Quantizer
from torch import nn


class Seals(nn.Module):
    def __init__(self, animals=4, bands=10, width=8, bits=4):
        super().__init__()
        self.codes = nn.Linear(bands, width)
        self.quantize = Quantizer(bits)
        self.animal = nn.Linear(width, animals)

    def forward(self, bark):
        return self.animal(self.quantize(torch.tanh(self.codes(bark))))


def barks(count, batch=10, animals=4, bands=10):
    voices = torch.randn(animals, bands)
    for _ in range(count):
        who = torch.randint(animals, (batch,))
        yield voices[who] + 0.4 * torch.randn(batch, bands), who
