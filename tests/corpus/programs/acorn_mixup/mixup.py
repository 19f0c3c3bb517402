"""Mixup of a batch, with soft targets."""

import numpy as np
import torch


def one_hot(x, num_classes, on_value=1.0, off_value=0.0):
    x = x.long().view(-1, 1)
    return torch.full((x.size(0), num_classes), off_value).scatter_(1, x, on_value)


def mixup_target(target, num_classes, lam=1.0, smoothing=0.0):
    off_value = smoothing / num_classes
    on_value = 1.0 - smoothing + off_value
    y1 = one_hot(target, num_classes, on_value, off_value)
    y2 = one_hot(target.flip(0), num_classes, on_value, off_value)
    return y1 * lam + y2 * (1.0 - lam)


class Mixup:
    """Mixes a batch with its mirror; `mixup_enabled` is set to False to end it.

    Args:
        mixup_alpha: of the Beta distribution, mixup is active if > 0.
        label_smoothing: applied to the mixed target.
    """

    def __init__(self, mixup_alpha=1.0, label_smoothing=0.1, num_classes=6, seed=0):
        self.mixup_alpha = mixup_alpha
        self.label_smoothing = label_smoothing
        self.num_classes = num_classes
        self.mixup_enabled = True
        self.rng = np.random.default_rng(seed)

    def __call__(self, x, target):
        assert len(x) % 2 == 0, "Batch size should be even when using this"
        if not self.mixup_enabled:
            return x, target
        lam = float(self.rng.beta(self.mixup_alpha, self.mixup_alpha))
        x = x * lam + x.flip(0) * (1.0 - lam)
        return x, mixup_target(target, self.num_classes, lam, self.label_smoothing)
