"""Watches gradients for values that are too large."""

import torch


class GradientWatch:
    def __init__(self, limit=10.0):
        self.limit = limit
        self.alarms = 0

    def attach(self, tensor):
        tensor.register_hook(self.inspect)

    def inspect(self, gradient):
        if gradient.abs().max() > self.limit:
            self.alarms += 1


class ParameterNorms:
    """Adds up the norms of one epoch's gradients."""

    def __init__(self):
        self.totals = {}

    def begin_epoch(self, model):
        for name, parameter in model.named_parameters():
            self.totals[name] = torch.zeros(())
            parameter.register_hook(self.adder(name))

    def adder(self, name):
        total = self.totals[name]

        def add(gradient):
            total.add_(gradient.norm())

        return add
