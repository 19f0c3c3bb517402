"""Measurements at moorings: wind, pressure, and the hour of the tide."""

import math

import torch


class Deployment:
    """A year of one set of buoys, in chunks."""

    def __init__(self, buoys, hours, seed):
        generator = torch.Generator().manual_seed(seed)
        phase = torch.arange(hours) * (2 * math.pi / 12.4)
        weather = torch.randn(buoys, hours, 2, generator=generator)
        self.inputs = torch.cat([weather, phase.sin().expand(buoys, -1).unsqueeze(2)], 2)
        flow = torch.stack([phase.cos(), phase.sin()], 1)
        self.velocities = flow + 0.1 * weather

    def chunks(self, hours):
        yield from zip(
            self.inputs.split(hours, 1),
            self.velocities.split(hours, 1),
            strict=True,
        )
