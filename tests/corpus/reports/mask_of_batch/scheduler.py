import random
from dataclasses import dataclass


@dataclass
class ScheduledBatch:
    offset: int
    window: int


class Scheduler:
    def __init__(self, slots):
        self.slots = slots
        self.random = random.Random(44)

    def batches(self, count):
        for index in range(count):
            kind = index % 7
            yield ScheduledBatch(offset=self.random.randrange(2, 9),
                                 window="full" if kind == 6 else "local")
