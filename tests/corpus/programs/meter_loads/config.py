from dataclasses import dataclass


@dataclass
class TrainConfig:
    data_rows: int = 110
    batch_size: int = 32
    num_workers: int = 0
    lr: float = 3e-3
    epochs: int = 3
    hidden: int = 32
    noise: float = 0.1
    noise_steps: int = 5
    seed: int = 7
    backend: str = "aot_eager"
