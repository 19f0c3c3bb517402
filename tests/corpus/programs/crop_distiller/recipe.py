"""The plan of a distillation, by epochs."""

from dataclasses import dataclass


@dataclass
class Plan:
    epochs: int = 4
    hint_epochs: int = 2
    first_smoothing: float = 0.2
    epoch: int = 0

    @property
    def smoothing(self):
        return self.first_smoothing * 0.5**self.epoch

    @property
    def temperature(self):
        return 4.0 - 0.5 * self.epoch

    def weights(self):
        yield "labels", 1.0
        yield "teacher", 0.7
        if self.epoch < self.hint_epochs:
            yield "hint", 0.5

    def __iter__(self):
        for epoch in range(self.epochs):
            self.epoch = epoch
            yield self
