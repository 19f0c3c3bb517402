"""Sharpness-aware minimization around any optimizer."""

import torch


class SharpnessAware:
    def __init__(self, parameters, base, radius=0.05):
        self.parameters = list(parameters)
        self.base = base
        self.radius = radius
        self.away = []

    @torch.no_grad()
    def ascend(self):
        norm = torch.stack([p.grad.norm() for p in self.parameters]).norm()
        scale = self.radius / (norm + 1e-12)
        self.away = [p.grad * scale for p in self.parameters]
        for parameter, step in zip(self.parameters, self.away, strict=True):
            parameter.add_(step)
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for parameter, step in zip(self.parameters, self.away, strict=True):
            parameter.sub_(step)
        self.base.step()
        self.base.zero_grad()
