"""What changes in the course of training."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Course:
    steps: int = 24
    longest: int = 3
    lr: float = 2e-3

    def horizon(self, step: int) -> int:
        return 1 + step * self.longest // self.steps

    def exponent(self, step: int) -> float:
        return 2.0 if step < 5 * self.steps // 6 else 1.5

    def spectral_weight(self, step: int) -> float:
        return 0.1 * step / self.steps

    def rate(self, step: int) -> float:
        return self.lr * (1 - 0.9 * step / self.steps)
