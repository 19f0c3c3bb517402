"""Causal convolutions, built by a registry of blocks."""

from torch import nn
from torch.nn import functional as F

BLOCKS = {}


def block(name):
    def add(cls):
        BLOCKS[name] = cls
        return cls

    return add


@block("causal")
class Causal(nn.Conv1d):
    def forward(self, x):
        left = (self.kernel_size[0] - 1) * self.dilation[0]
        return super().forward(F.pad(x, (left, 0)))


@block("gated")
class Gated(nn.Module):
    def __init__(self, inputs, outputs, **options):
        super().__init__()
        self.both = Causal(inputs, 2 * outputs, **options)

    def forward(self, x):
        return F.glu(self.both(x), 1)


class Flow(nn.Module):
    def __init__(self, gates, plan=(("causal", 8, 1), ("gated", 8, 2), ("gated", 8, 4))):
        super().__init__()
        layers, width = [], gates
        for name, outputs, dilation in plan:
            layers.append(BLOCKS[name](width, outputs, kernel_size=3, dilation=dilation))
            width = outputs
        self.layers = nn.ModuleList(layers)
        self.out = nn.Conv1d(width, gates, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
        return self.out(x)
