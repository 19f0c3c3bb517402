"""What the run may vary."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    features: int = 10
    width: int = 20
    epochs: int = 5
    q_first: float = 0.3
    q_last: float = 0.7
    report_every: int = 4

    def exponent(self, epoch):
        done = epoch / (self.epochs - 1)
        return self.q_first + done * (self.q_last - self.q_first)
