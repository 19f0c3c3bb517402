from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    cells: int = 12
    cycles: int = 90
    window: int = 20
    batch: int = 32
    hidden: int = 24
    blocks: int = 2
    steps: int = 14
    lr: float = 5e-3
    seed: int = 21
    backend: str = "aot_eager"
