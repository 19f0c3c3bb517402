"""Deflection of a circular membrane under a load: the data of the operator."""

import torch
from torch import Tensor


def loads(count: int, sensors: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Loads as sums of three modes: their coefficients, and their values at the sensors."""
    modes = torch.randn(count, 3, generator=generator) / torch.arange(1, 4)
    r = torch.linspace(0, 1, sensors)
    basis = torch.stack([torch.cos((k + 0.5) * torch.pi * r) for k in range(3)])
    return modes, modes @ basis


def deflection(modes: Tensor, radius: Tensor) -> Tensor:
    """The solution of the separable model problem at each of the radii."""
    k = (torch.arange(3) + 0.5) * torch.pi
    return (modes / k**2) @ torch.cos(k[:, None] * radius[None])


def dataset(count: int = 32, sensors: int = 20, queries: int = 16, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    modes, measured = loads(count, sensors, generator)
    radius = torch.rand(queries, generator=generator)
    return measured, radius[:, None], 10 * deflection(modes, radius)
