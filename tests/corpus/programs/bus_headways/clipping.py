"""Clips gradients of layers to a limit that is narrowed."""

from functools import partial


def clip(gradient, *, limit):
    return gradient.clamp(-limit, limit)


class Narrowing:
    def __init__(self, layer, limit, rate):
        self.layer, self.limit, self.rate = layer, limit, rate
        self.handles = []
        self.hook()

    def hook(self):
        for handle in self.handles:
            handle.remove()
        bounded = partial(clip, limit=self.limit)
        self.handles = [one.register_hook(bounded) for one in self.layer.parameters()]

    def step(self):
        self.limit *= self.rate
        self.hook()
