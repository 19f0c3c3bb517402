"""Looks at gradients while they pass."""

import logging
from collections import deque

log = logging.getLogger("weave")


class SpikeWatch:
    """Tames a gradient that is far above what was usual, and says so."""

    def __init__(self, memory=8, factor=4.0):
        self.recent = deque(maxlen=memory)
        self.factor = factor

    def attach(self, module):
        return [weight.register_hook(self.look) for weight in module.parameters()]

    def look(self, gradient):
        size = gradient.abs().max().item()
        usual = sum(self.recent) / len(self.recent) if self.recent else size
        self.recent.append(size)
        if size > self.factor * usual:
            log.info("a spike: %.3g", size)
            return gradient * (usual / size)
        return gradient
