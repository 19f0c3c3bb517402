from dataclasses import dataclass


@dataclass(frozen=True)
class CodecConfig:
    sample_rate: int = 8000
    segment: int = 512
    batch_size: int = 4
    channels: int = 8
    strides: tuple = (4, 4)
    codebook_size: int = 32
    max_steps: int = 14
    disc_start: int = 6
    lambda_commit: float = 0.25
    lambda_adv: float = 0.1
    lr: float = 3e-4
    seed: int = 1234
