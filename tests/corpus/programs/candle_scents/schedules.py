"""Numbers that depend on how far training is."""

import math

SCHEDULES = {
    "constant": lambda share, start, end: end,
    "linear": lambda share, start, end: start + share * (end - start),
    "cosine": lambda share, start, end: end + (start - end) * (1 + math.cos(math.pi * share)) / 2,
}


class Schedule:
    def __init__(self, kind, start, end, steps):
        self.function, self.start, self.end, self.steps = SCHEDULES[kind], start, end, steps

    def __call__(self, step):
        return self.function(min(1.0, step / self.steps), self.start, self.end)
