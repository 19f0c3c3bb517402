"""What a model is built from and what it gives away."""

from dataclasses import dataclass


@dataclass
class ProteinConfig:
    alphabet: int = 21
    width: int = 16
    depth: int = 2
    # Which attention maps are returned: "none", "last" or "all".
    maps: str = "none"
