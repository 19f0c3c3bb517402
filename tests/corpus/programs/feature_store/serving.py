"""Two ways in which the tower is asked: by users, and by the shadow traffic of a test."""

from dataclasses import dataclass
from typing import Protocol

import torch


class Endpoint(Protocol):
    def __call__(self, rows: torch.Tensor) -> list[float]: ...


@dataclass
class Live:
    model: torch.nn.Module

    @torch.inference_mode()
    def __call__(self, rows):
        probabilities = torch.sigmoid(self.model(rows))
        return probabilities.tolist()


@dataclass
class Shadow:
    model: torch.nn.Module

    @torch.no_grad()
    def __call__(self, rows):
        return torch.sigmoid(self.model(rows)).tolist()
