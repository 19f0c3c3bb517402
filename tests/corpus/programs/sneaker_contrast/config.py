"""Settings, and how they move while the run goes on."""

from dataclasses import dataclass


@dataclass
class ContrastConfig:
    epochs: int = 4
    batch_size: int = 8
    queue_batches: int = 6
    momentum: float = 0.95
    lr: float = 0.05
    first_scale: float = 5.0
    last_scale: float = 20.0
    max_scale: float = 5.0

    def begin_epoch(self, epoch):
        done = epoch / max(1, self.epochs - 1)
        self.max_scale = self.first_scale + done * (self.last_scale - self.first_scale)
