"""Which stem a step separates."""

import random
from dataclasses import dataclass

STEMS = ("vocals", "drums", "bass", "other")


@dataclass(frozen=True)
class Job:
    stem: str
    gain: float = 1.0


def jobs(count, seed=0):
    rng = random.Random(seed)
    waiting = []
    while count:
        if not waiting:
            waiting = rng.sample(STEMS, len(STEMS))
        yield Job(waiting.pop())
        count -= 1
