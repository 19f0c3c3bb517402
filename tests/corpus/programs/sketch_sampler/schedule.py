"""Noise levels from large to small."""

import itertools


class KarrasSchedule:
    """Pairs of a level and the one that follows it."""

    def __init__(self, steps, smallest=0.02, largest=8.0, rho=7):
        self.steps = steps
        self.smallest, self.largest = smallest ** (1 / rho), largest ** (1 / rho)
        self.rho = rho

    def level(self, rest):
        return (self.smallest + rest * (self.largest - self.smallest)) ** self.rho

    def __iter__(self):
        rests = [1 - step / self.steps for step in range(self.steps + 1)]
        levels = [self.level(rest) for rest in rests]
        yield from itertools.pairwise(levels)
