"""Settings of the run."""

from dataclasses import dataclass


@dataclass
class Config:
    entities: int = 60
    relations: int = 5
    width: int = 12
    batch: int = 16
    negatives: int = 4
    epochs: int = 3
    steps: int = 5
    margin: float = 0.5
    margin_growth: float = 0.25
    heat: float = 2.0
    lr: float = 0.02
