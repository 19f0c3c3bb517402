"""A badger in a corridor of burrows; food is at one end, which end is smelt faintly."""

import random

import torch


class SettEnv:
    def __init__(self, length=7, limit=12, seed=0):
        self.length, self.limit = length, limit
        self.rng = random.Random(seed)

    def reset(self):
        self.place, self.age = self.length // 2, 0
        self.food = self.rng.choice([0, self.length - 1])
        return self.observation()

    def observation(self):
        smell = 1.0 if self.food else -1.0
        here = torch.zeros(self.length + 1)
        here[self.place] = 1.0
        here[-1] = smell + self.rng.gauss(0, 0.3)
        return here

    def step(self, action):
        self.place = max(0, min(self.length - 1, self.place + (1 if action else -1)))
        self.age += 1
        found = self.place == self.food
        return self.observation(), float(found) - 0.05, found or self.age >= self.limit
