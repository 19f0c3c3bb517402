"""Keeps several losses at one magnitude."""

from collections import OrderedDict


class Balancer:
    """Divides each loss by a moving average of itself."""

    def __init__(self, momentum=0.9):
        self.momentum = momentum
        self.averages = OrderedDict()

    def __call__(self, losses):
        total = 0.0
        for name, loss in losses.items():
            past = self.averages.get(name, loss.detach())
            self.averages[name] = self.momentum * past + (1 - self.momentum) * loss
            total = total + loss / self.averages[name]
        return total

    def report(self):
        return ", ".join(f"{name} {value.item():.3f}" for name, value in self.averages.items())
