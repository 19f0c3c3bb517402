import copy

import torch


class EMAModel:
    """Exponential moving average of a model's parameters, with a warm-up of the decay."""

    def __init__(self, parameters, decay=0.995, inv_gamma=1.0, power=2 / 3):
        self.shadow = [copy.deepcopy(p.detach()) for p in parameters]
        self.decay, self.inv_gamma, self.power = decay, inv_gamma, power
        self.optimization_step = 0
        self.stored = None

    def get_decay(self):
        step = max(0, self.optimization_step - 1)
        return min(self.decay, 1 - (1 + step / self.inv_gamma) ** -self.power)

    @torch.no_grad()
    def step(self, parameters):
        self.optimization_step += 1
        one_minus_decay = 1 - self.get_decay()
        for s, p in zip(self.shadow, parameters, strict=True):
            s.sub_(one_minus_decay * (s - p))

    @torch.no_grad()
    def store_and_copy_to(self, parameters):
        parameters = list(parameters)
        self.stored = [p.detach().clone() for p in parameters]
        for s, p in zip(self.shadow, parameters, strict=True):
            p.copy_(s)

    @torch.no_grad()
    def restore(self, parameters):
        for c, p in zip(self.stored, parameters, strict=True):
            p.copy_(c)
        self.stored = None
