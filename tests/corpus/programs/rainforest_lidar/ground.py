"""Says how high the ground is below every point, at several scales."""

import torch
from torch import nn


class Scale(nn.Module):
    """A network for one scale of detail, of sines of the place."""

    def __init__(self, octave, width=8):
        super().__init__()
        self.frequency = 2.0**octave
        self.waves = nn.Linear(2, width)
        self.out = nn.Linear(width + 2, 1)

    def forward(self, points, echo):
        waves = torch.sin(self.frequency * self.waves(points[:, :2]))
        return self.out(torch.cat([waves, points[:, 2:], echo], 1)).squeeze(1)


class Ground(nn.Module):
    """Coarse scales first; finer ones are switched on later."""

    def __init__(self, octaves=3):
        super().__init__()
        self.scales = nn.ModuleList(Scale(octave) for octave in range(octaves))
        self.active = 1

    def forward(self, points, echo):
        return sum(scale(points, echo) for scale in self.scales[: self.active])

    def refine(self):
        self.active = min(self.active + 1, len(self.scales))
