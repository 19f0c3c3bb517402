"""Looks at the gradients of activations once in a while."""

import torch


class GradientPeek:
    def __init__(self, layer, every):
        self.layer, self.every, self.step = layer, every, 0
        self.largest = torch.zeros(())

    def __call__(self):
        if self.step % self.every == self.every - 1:
            self.layer.weight.register_hook(self.keep)
        self.step += 1

    def keep(self, grad):
        self.largest.copy_(torch.maximum(self.largest, grad.abs().amax()))
