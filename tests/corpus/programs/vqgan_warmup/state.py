"""What changes while training."""

from dataclasses import dataclass, field


@dataclass
class TrainState:
    step: int = 0
    critic_from: int = 4
    # Begins as an absolute error and ends as a squared one.
    deltas: list = field(default_factory=lambda: [0.25, 0.5, 1.0])
    every: int = 3

    @property
    def delta(self):
        return self.deltas[min(self.step // self.every, len(self.deltas) - 1)]

    @property
    def code_weight(self):
        return 1e-3 * (1 + self.step)

    @property
    def critic_is_on(self):
        return self.step >= self.critic_from
