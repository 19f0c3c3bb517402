"""Watches gradients for explosions."""

import logging

logger = logging.getLogger("gradients")


class GradientMonitor:
    def __init__(self, limit=10.0):
        self.limit = limit
        self.alarms = 0

    def check(self, grad):
        norm = grad.norm().item()
        if norm > self.limit:
            self.alarms += 1
            logger.warning("gradient norm %.2f", norm)

    def attach(self, parameter):
        return parameter.register_hook(self.check)
