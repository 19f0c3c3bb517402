"""Sonar pings: a record per ping, read from a survey line."""

import enum
from dataclasses import dataclass

import torch


class Seafloor(enum.Enum):
    SAND = "sand"
    ROCK = "rock"
    MUD = "mud"


@dataclass
class Ping:
    echo: torch.Tensor
    floor: Seafloor
    depth: float
    mask: torch.Tensor | None = None


def survey(count, width=32):
    generator = torch.Generator().manual_seed(3)
    floors = list(Seafloor)
    for number in range(count):
        echo = torch.randn(6, width, generator=generator)
        mask = torch.rand(6, width, generator=generator) > 0.1 if number % 4 == 3 else None
        yield Ping(echo, floors[number % 3], 40.0, mask)
