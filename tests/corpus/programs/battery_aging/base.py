"""What all of the team's networks inherit."""

import logging

import torch
from torch import nn

log = logging.getLogger("fade")


class MonitoredModule(nn.Module):
    """Keeps the largest activation for the calibration report, and watches for overflow."""

    def __init__(self):
        super().__init__()
        self.peak = 0.0

    def observe(self, activation):
        self.peak = max(self.peak, activation.abs().max().item())
        return activation

    def guard(self, activation):
        if not torch.isfinite(activation).all():
            log.error("overflow in %s", type(self).__name__)
            activation = torch.nan_to_num(activation)
        return activation

    def report(self):
        return {
            name or type(self).__name__: float(module.peak)
            for name, module in self.named_modules()
            if isinstance(module, MonitoredModule)
        }
