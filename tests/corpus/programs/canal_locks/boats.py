"""Boats that wait at a flight of locks."""

import dataclasses
import itertools

import torch


@dataclasses.dataclass
class Queue:
    lengths: torch.Tensor
    levels: torch.Tensor
    waited: torch.Tensor


def queues(seed=0):
    generator = torch.Generator().manual_seed(seed)
    for number in itertools.count():
        boats = (7, 9, 12)[number % 3]
        lengths = torch.rand(boats, generator=generator) * 15 + 5
        levels = torch.rand(boats, 4, generator=generator)
        yield Queue(lengths, levels, lengths.cumsum(0) / 60 + levels[:, 0])
