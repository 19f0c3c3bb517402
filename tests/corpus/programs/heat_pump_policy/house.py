"""A house that loses heat, and a tariff that changes by the hour."""

import math

import numpy as np

POWER = (0.0, 1.2, 2.5)


class House:
    def __init__(self, hours=6, seed=0):
        self.hours = hours
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.hour, self.inside = 0, 17.0
        return self.observed()

    @property
    def outside(self):
        return 4.0 + 5.0 * math.sin(self.hour / 4) + self.random.normal(0, 0.5)

    @property
    def price(self):
        return 0.4 if self.hour % 24 > 3 else 0.15

    def observed(self):
        return np.array([self.inside / 20, self.outside / 20, self.price, self.hour / 24], "f4")

    def step(self, action):
        self.inside += 0.9 * POWER[action] - 0.08 * (self.inside - self.outside)
        reward = -abs(self.inside - 20.0) - POWER[action] * self.price
        self.hour += 1
        return self.observed(), reward, self.hour >= self.hours
