"""Positions as planes, with the moves that are legal in each."""

from dataclasses import dataclass

import torch

SQUARES, MOVES = 64, 40


@dataclass
class Positions:
    planes: torch.Tensor
    legal: torch.Tensor
    target: torch.Tensor


def self_play(games, positions=16, seed=6):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(games):
        planes = torch.randint(-1, 2, (positions, SQUARES), generator=generator).float()
        legal = torch.rand(positions, MOVES, generator=generator) < 0.3
        legal[:, 0] = True
        yield Positions(planes, legal, planes.sum(1).sign())
