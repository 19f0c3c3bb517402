from dataclasses import dataclass


@dataclass
class GPTConfig:
    vocab_size: int = 32
    block_size: int = 16
    n_layer: int = 1
    n_head: int = 2
    n_embd: int = 32
    dropout: float = 0.1
    # local attention: how many notes back a note sees at first
    first_window: int = 4


@dataclass
class TrainConfig:
    tunes: int = 20
    batch_size: int = 8
    epochs: int = 3
    window_growth: int = 6
    learning_rate: float = 3e-3
    warmup_iters: int = 4
    weight_decay: float = 0.1
    grad_clip: float = 1.0
    eval_every: int = 3
    seed: int = 1337
