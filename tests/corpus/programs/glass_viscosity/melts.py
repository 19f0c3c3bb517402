"""Compositions of melts and their viscosity at a temperature.

Measured tables come as float32; those of the simulation as float64.
"""

import torch


def measured(count, oxides=5, generator=None):
    parts = torch.rand(count, oxides, generator=generator)
    return {"parts": parts / parts.sum(1, keepdim=True), "kelvin": 1.0 + torch.rand(count, 1)}


def simulated(count, oxides=5, generator=None):
    return {key: value.double() for key, value in measured(count, oxides, generator).items()}


def viscosity(parts, kelvin):
    return (parts[:, :1] * 3 - 1) / kelvin


class Alternating:
    """A simulated batch after every two measured ones."""

    def __init__(self, steps, size=8, seed=4):
        self.steps, self.size = steps, size
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        for step in range(self.steps):
            source = simulated if step % 3 == 2 else measured
            batch = source(self.size, generator=self.generator)
            yield {**batch, "log_viscosity": viscosity(**batch)}
