"""Glen's law: ice flows with a power of its stress."""

import torch
from torch import nn


class Glen(nn.Module):
    """Softness is learned for each cell; the exponent is stepped up to that of real ice."""

    def __init__(self, cells, exponent=1.0):
        super().__init__()
        self.exponent = exponent
        self.log_softness = nn.Parameter(torch.zeros(cells))
        self.sliding = nn.Parameter(torch.full((cells,), 0.1))

    def forward(self, thickness, slope):
        stress = thickness * slope * (1 + self.sliding)
        strain = self.log_softness.exp() * stress.pow(self.exponent)
        return strain * thickness / (self.exponent + 1)


def continuation(model, stages):
    """Yield a stage after another, each with a steeper law."""
    for exponent, steps in stages:
        model.exponent = exponent
        for step in range(steps):
            yield exponent, step
