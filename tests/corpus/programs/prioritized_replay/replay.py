"""A memory of transitions that is drawn from by priority once it is warm."""

import numpy as np
import torch


class Replay:
    def __init__(self, capacity, observations, warm, exponent=0.6, seed=0):
        self.now = torch.randn(capacity, observations)
        self.action = torch.randint(0, 3, (capacity,))
        self.reward = torch.randn(capacity)
        self.then = torch.randn(capacity, observations)
        self.priority = np.ones(capacity)
        self.warm, self.exponent = warm, exponent
        self.random = np.random.default_rng(seed)
        self.drawn = 0

    def sample(self, size):
        self.drawn += 1
        if self.drawn <= self.warm:
            chosen = self.random.integers(0, len(self.priority), size)
            weight = torch.ones(size)
        else:
            share = self.priority**self.exponent
            share = share / share.sum()
            chosen = self.random.choice(len(share), size, p=share)
            weight = torch.from_numpy((len(share) * share[chosen]) ** -0.4)
        rows = torch.from_numpy(chosen)
        transition = (self.now[rows], self.action[rows], self.reward[rows], self.then[rows])
        return chosen, transition, weight

    def update(self, chosen, errors):
        self.priority[chosen] = errors.detach().abs().numpy() + 1e-3
