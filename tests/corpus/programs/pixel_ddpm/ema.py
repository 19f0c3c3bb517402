"""Exponential moving average of a model."""

import copy

import torch


class EMA:
    def __init__(self, model, beta=0.995, update_every=2):
        self.model = model
        self.ema_model = copy.deepcopy(model).requires_grad_(False)
        self.beta = beta
        self.update_every = update_every
        self.step = 0

    @torch.no_grad()
    def update(self):
        self.step += 1
        if self.step % self.update_every:
            return
        decay = min(self.beta, (1 + self.step) / (10 + self.step))
        for ema, current in zip(self.ema_model.parameters(), self.model.parameters(), strict=True):
            ema.lerp_(current, 1 - decay)
