"""What the model looks like."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Config:
    columns: int = 6
    values: int = 12
    width: int = 8
    depth: int = 2
    masked: float = 0.3
    checkpoint: dict = field(default_factory=lambda: {"use_reentrant": True})
