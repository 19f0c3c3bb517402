"""Keeps the gradients of a module below a limit."""

import torch
from torch import nn


class GradientLimit:
    def __init__(self, limit):
        self.limit = limit

    def limited(self, gradient):
        return torch.clamp(gradient, -self.limit, self.limit)

    def setup(self, module):
        for parameter in module.parameters():
            parameter.register_hook(self.limited)


class Stage:
    """Callbacks that are set up when a stage begins."""

    def __init__(self, model: nn.Module, callbacks):
        self.model, self.callbacks = model, callbacks

    def __enter__(self):
        for callback in self.callbacks:
            callback.setup(self.model)
        return self

    def __exit__(self, *exception):
        self.model.zero_grad()
