"""Averages weights with a decay that warms up."""

import copy

import torch


@torch.compile(backend="eager", dynamic=False)
def blend(averaged, current, decay):
    return [a * decay + c * (1 - decay) for a, c in zip(averaged, current, strict=True)]


class ModelEma:
    def __init__(self, model, decay=0.99, warmup_gamma=4.0, power=0.7):
        self.module = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay, self.gamma, self.power = decay, warmup_gamma, power

    def get_decay(self, step):
        return min(self.decay, 1 - (1 + step / self.gamma) ** -self.power)

    @torch.no_grad()
    def update(self, model, step):
        averaged, current = list(self.module.parameters()), list(model.parameters())
        for old, new in zip(averaged, blend(averaged, current, self.get_decay(step)), strict=True):
            old.copy_(new)
