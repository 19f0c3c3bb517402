import copy

import torch
from torch import nn


class EMA(nn.Module):
    def __init__(self, model, beta=0.99, update_after_step=3, update_every=2):
        super().__init__()
        self.ema_model = copy.deepcopy(model).eval().requires_grad_(False)
        self.beta, self.update_after_step, self.update_every = beta, update_after_step, update_every
        self.register_buffer("step", torch.tensor(0))

    @torch.no_grad()
    def update(self, model):
        self.step += 1
        step = self.step.item()
        if step % self.update_every != 0:
            return
        if step <= self.update_after_step:
            self.ema_model.load_state_dict(model.state_dict())
            return
        for ma, current in zip(self.ema_model.parameters(), model.parameters(), strict=True):
            ma.lerp_(current, 1.0 - self.beta)
