"""Grokfast: slow parts of gradients are amplified, by hooks on parameters."""

import torch
from torch import nn


class SlowGradients(nn.Module):
    def __init__(self, model, decay=0.9, gain=2.0):
        super().__init__()
        self.register_buffer("decay", torch.tensor(decay))
        self.register_buffer("gain", torch.tensor(gain))
        self.slow = [torch.zeros_like(one) for one in model.parameters()]
        for number, parameter in enumerate(model.parameters()):
            parameter.register_hook(self.hook(number))

    def hook(self, number):
        slow = self.slow[number]

        def amplify(gradient):
            slow.lerp_(gradient, 1 - self.decay)
            return gradient + self.gain * slow

        return amplify
