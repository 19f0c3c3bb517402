"""Errors of depth, from coarse to fine."""

import torch
from torch.nn import functional


class ScaleLoss:
    def __init__(self, scales=(4, 2, 1), discount=0.7):
        self.scales = scales
        self.discount = discount
        self.finest = 1

    def set_epoch(self, epoch):
        self.finest = min(1 + epoch // 2, len(self.scales))

    def __call__(self, predicted, depth):
        losses = []
        for level in range(self.finest):
            wanted = functional.avg_pool2d(depth, self.scales[level])
            error = (predicted[level] - wanted).abs().mean()
            losses.append(self.discount**level * error)
        return torch.stack(losses).sum()
