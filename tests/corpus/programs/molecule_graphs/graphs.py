"""Random molecules: atoms, and bonds as pairs of atoms."""

import random
from typing import NamedTuple

import torch


class Batch(NamedTuple):
    atoms: torch.Tensor
    bonds: torch.Tensor
    owner: torch.Tensor
    target: torch.Tensor


def molecule(rng):
    count = rng.randint(4, 9)
    atoms = torch.randint(0, 6, (count,))
    chain = [(i, i + 1) for i in range(count - 1)]
    rings = [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(0, 2))]
    pairs = torch.tensor(chain + rings).t()
    return atoms, torch.cat([pairs, pairs.flip(0)], 1)


def batches(count, size, seed=1):
    """Disjoint unions of `size` molecules."""
    rng = random.Random(seed)
    for _ in range(count):
        atoms, bonds, owner, first = [], [], [], 0
        for number in range(size):
            kinds, pairs = molecule(rng)
            atoms.append(kinds)
            bonds.append(pairs + first)
            owner.append(torch.full_like(kinds, number))
            first += len(kinds)
        target = torch.tensor([kinds.float().mean() for kinds in atoms])
        yield Batch(torch.cat(atoms), torch.cat(bonds, 1), torch.cat(owner), target)
