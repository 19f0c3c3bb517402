"""A rate that rises and falls, and layers that thaw from the top."""

import math


class Plan:
    def __init__(self, optimizer, layers, steps, peak=3e-3, warmup=4):
        self.optimizer, self.layers = optimizer, layers
        self.steps, self.peak, self.warmup = steps, peak, warmup

    def shape(self, step):
        if step < self.warmup:
            return (step + 1) / self.warmup
        return 0.5 + 0.5 * math.cos(math.pi * (step - self.warmup) / (self.steps - self.warmup))

    def before(self, step):
        for group in self.optimizer.param_groups:
            group["lr"] = self.peak * self.shape(step)
        first = len(self.layers) - 1 - step * len(self.layers) // self.steps
        for number, layer in enumerate(self.layers):
            layer.requires_grad_(number >= first)
