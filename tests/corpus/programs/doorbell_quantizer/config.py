"""What the run is made of."""

from dataclasses import dataclass


@dataclass
class QATConfig:
    bits: int = 6
    epochs: int = 3
    delay: int = 1
    batch_size: int = 10
    lr: float = 0.02
    fake_quant: bool = False

    def on_epoch_start(self, epoch):
        self.fake_quant = epoch >= self.delay
