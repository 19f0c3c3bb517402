"""Trains on a ring: how long each waits at its station."""

import numpy as np


class Ring:
    def __init__(self, stations=8, seed=0):
        self.rng = np.random.default_rng(seed)
        self.stations = stations

    def reset(self):
        self.waiting = self.rng.poisson(3.0, self.stations).astype(np.float32)
        self.at = 0
        return self.observe()

    def observe(self):
        return np.concatenate([np.roll(self.waiting, -self.at), [self.at / self.stations]])

    def step(self, hold):
        boarded = min(self.waiting[self.at], 2.0 * (hold + 1))
        self.waiting[self.at] -= boarded
        self.waiting += self.rng.poisson(0.4, self.stations)
        self.at = (self.at + 1) % self.stations
        return self.observe(), float(boarded - 0.5 * hold), self.waiting.max() > 14


def rollout(env, act, steps):
    seen, reward = env.reset(), 0.0
    for _ in range(steps):
        hold = act(seen)
        following, reward, over = env.step(hold)
        yield seen, hold, reward, over
        seen = env.reset() if over else following
