from dataclasses import dataclass


@dataclass
class EmbedConfig:
    batch: int = 8
    frames: int = 12
    bands: int = 6
    width: int = 10
