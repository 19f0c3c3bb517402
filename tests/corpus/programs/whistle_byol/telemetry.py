"""Watches the health of gradients."""

import math
from collections import defaultdict


class GradientWatch:
    def __init__(self, module, prefix="", limit=100.0):
        self.limit = limit
        self.norms = defaultdict(list)
        for name, parameter in module.named_parameters():
            if parameter.requires_grad:
                parameter.register_hook(self.recorder(prefix + name))

    def recorder(self, name):
        def record(gradient):
            norm = float(gradient.norm())
            if not math.isfinite(norm) or norm > self.limit:
                print(f"{name}: gradient of norm {norm:.1f}")
            self.norms[name].append(norm)

        return record

    def summary(self):
        return {name: sum(norms) / len(norms) for name, norms in self.norms.items()}
