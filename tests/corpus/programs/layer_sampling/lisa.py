"""Layerwise importance sampling: a few layers at a time are trained, others rest."""

import random


class LayerSampler:
    """A callback that chooses the active layers once a period."""

    def __init__(self, layers, active, period, seed=0):
        self.layers, self.active, self.period = layers, active, period
        self.random = random.Random(seed)

    def on_step_begin(self, step):
        if step % self.period:
            return
        chosen = set(self.random.sample(range(len(self.layers)), self.active))
        for number, layer in enumerate(self.layers):
            for parameter in layer.parameters():
                parameter.requires_grad = number in chosen
