"""The noise schedule, and a few steps of DDIM."""

import math
from itertools import pairwise

import torch


class CosineSchedule:
    def __init__(self, num_steps: int = 50, s: float = 0.008):
        t = torch.arange(num_steps + 1) / num_steps
        alpha_bar = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
        self.num_steps = num_steps
        self.alpha_bar = (alpha_bar / alpha_bar[0]).clamp(min=1e-4)[1:]

    def add_noise(self, x0, noise, timesteps):
        a = self.alpha_bar[timesteps][:, None, None, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def min_snr(self, timesteps, gamma=5.0):
        a = self.alpha_bar[timesteps]
        snr = a / (1 - a)
        return snr.clamp(max=gamma) / snr

    @torch.no_grad()
    def sample(self, model, shape, jumps=4):
        x = torch.randn(shape)
        grid = torch.linspace(self.num_steps - 1, 0, jumps + 1).long()
        for now, then in pairwise(grid):
            eps = model(x, now.expand(shape[0]))
            a, b = self.alpha_bar[now], self.alpha_bar[then]
            x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
            x = b.sqrt() * x0.clamp(-1, 1) + (1 - b).sqrt() * eps
        return x
