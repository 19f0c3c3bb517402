"""Which width a step trains."""

import random
from abc import ABC, abstractmethod


class DimPolicy(ABC):
    @abstractmethod
    def next_dim(self):
        """The number of coordinates of the next step."""


class FullDim(DimPolicy):
    def __init__(self, full):
        self.full = full

    def next_dim(self):
        return self.full


class RandomDim(DimPolicy):
    """One width of several per step, narrow ones more often."""

    def __init__(self, widths, seed=2):
        self.widths = widths
        self.shares = [1.0 / width for width in widths]
        self.rng = random.Random(seed)

    def next_dim(self):
        return self.rng.choices(self.widths, self.shares)[0]
