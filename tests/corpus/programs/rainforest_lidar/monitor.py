"""Tells which scale still learns."""

import weakref


class GradientShare:
    def __init__(self, model):
        self.model = weakref.proxy(model)
        self.shares = []

    def __call__(self):
        sizes = [
            sum(
                one.grad.square().sum().item() for one in scale.parameters() if one.grad is not None
            )
            for scale in self.model.scales
        ]
        total = sum(sizes) or 1.0
        self.shares.append([size / total for size in sizes])
