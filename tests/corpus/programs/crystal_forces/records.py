"""Unit cells: positions, an energy, and for some of them the forces."""

from collections.abc import Iterator
from typing import NamedTuple

import torch


class Cells(NamedTuple):
    positions: torch.Tensor
    kinds: torch.Tensor
    energy: torch.Tensor
    forces: torch.Tensor | None


def relaxed(count: int, atoms: int) -> Cells:
    positions = torch.rand(count, atoms, 3)
    kinds = torch.randint(0, 4, (count, atoms))
    return Cells(positions, kinds, torch.randn(count), None)


def trajectory(count: int, atoms: int) -> Cells:
    cells = relaxed(count, atoms)
    return cells._replace(forces=torch.randn(count, atoms, 3))


def mixture(steps: int, count: int = 5, atoms: int = 6) -> Iterator[Cells]:
    """Two batches of relaxed cells for each batch from a trajectory."""
    for step in range(steps):
        yield (trajectory if step % 3 == 2 else relaxed)(count, atoms)
