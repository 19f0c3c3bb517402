"""A slow copy of a model, which is what is used in the end."""

import copy

import torch


class Averaged:
    def __init__(self, model, decay=0.99):
        self.model, self.decay = copy.deepcopy(model).eval().requires_grad_(False), decay
        self.steps = 0

    @property
    def now(self):
        return min(self.decay, (1 + self.steps) / (10 + self.steps))

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.model.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 1 - self.now)
        self.steps += 1
