"""Settings of the two towers."""

from dataclasses import dataclass


@dataclass
class Stage:
    name: str
    steps: int
    frozen: tuple[str, ...] = ()
    order: float = 2.0


@dataclass
class Config:
    users: int = 30
    items: int = 40
    width: int = 8
    stages: tuple[Stage, ...] = (
        Stage("heads", 3, ("users", "items")),
        Stage("items", 3, ("users",)),
        Stage("all", 3),
        Stage("tails", 3, order=4.0),
    )
