"""A slow copy of a model."""

import copy

import torch


class Slow:
    def __init__(self, model, limit=0.99):
        self.model, self.limit = copy.deepcopy(model).requires_grad_(False), limit
        self.updates = 0
        self._blend = torch.compile(self.blend, backend="eager")

    @property
    def decay(self):
        return min(self.limit, (1 + self.updates) / (10 + self.updates))

    @staticmethod
    def blend(slow, fast, decay):
        for ours, theirs in zip(slow, fast, strict=False):
            ours.mul_(decay).add_(theirs, alpha=1 - decay)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        self._blend(list(self.model.parameters()), list(model.parameters()), self.decay)
