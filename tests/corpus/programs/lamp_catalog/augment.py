"""Augmentations, each a small class of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch


class Augment(Protocol):
    strength: float

    def __call__(self, x: torch.Tensor) -> torch.Tensor: ...


@dataclass(frozen=True)
class Jitter:
    strength: float = 0.1

    def __call__(self, x):
        return x + self.strength * torch.randn_like(x)


@dataclass(frozen=True)
class Mask:
    strength: float = 0.3

    def __call__(self, x):
        return x * (torch.rand_like(x) > self.strength)


@dataclass(frozen=True)
class Scale:
    strength: float = 0.2

    def __call__(self, x):
        return x * (1 + self.strength * torch.randn(len(x), 1))


POOL = (Jitter(), Mask(), Scale())
