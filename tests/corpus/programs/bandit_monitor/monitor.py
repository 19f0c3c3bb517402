"""Watches the gradients of a model."""

import math


class GradientMonitor:
    """Warns of gradients that explode."""

    def __init__(self, model, watched, limit=50.0):
        self.limit = limit
        self.handles = [
            parameter.register_hook(self.watcher(name))
            for name, parameter in model.named_parameters()
            if name in watched
        ]

    def watcher(self, name):
        def look(gradient):
            norm = gradient.norm().item()
            if not math.isfinite(norm) or norm > self.limit:
                print(f"{name}: gradient of norm {norm:.1f}")

        return look

    def close(self):
        for handle in self.handles:
            handle.remove()
