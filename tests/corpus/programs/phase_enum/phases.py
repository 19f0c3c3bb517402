"""What happens at which step of the training."""

import enum


class Phase(enum.Enum):
    WARMUP = "warmup"
    MAIN = "main"
    POLISH = "polish"


def phase_of(step):
    if step < 3:
        return Phase.WARMUP
    return Phase.MAIN if step < 7 else Phase.POLISH
