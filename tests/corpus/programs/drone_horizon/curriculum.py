from dataclasses import dataclass


@dataclass
class Curriculum:
    """Longer rollouts once the short ones are learned."""

    start: int = 2
    stop: int = 8
    grow_every: int = 4
    steps: int = 0

    def advance(self):
        self.steps += 1

    @property
    def horizon(self):
        return min(self.stop, self.start + self.steps // self.grow_every)
