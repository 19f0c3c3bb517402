"""A perceptron whose activations are quantized."""

from itertools import pairwise

import torch.nn as nn
from observer import FakeQuantize


class QuantizedMLP(nn.Module):
    def __init__(self, inputs=20, hidden=32, outputs=3, layers=2, bits=6):
        super().__init__()
        widths = [inputs] + [hidden] * layers
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.quantizers = nn.ModuleList(FakeQuantize(bits) for _ in range(layers))
        self.out = nn.Linear(hidden, outputs)

    def forward(self, x):
        for layer, quantize in zip(self.layers, self.quantizers, strict=True):
            x = quantize(layer(x).relu())
        return self.out(x)
