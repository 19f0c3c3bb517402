"""Mixup, on some of the batches."""

import numpy as np
import torch


class Mixup:
    def __init__(self, alpha=0.8, prob=0.5, seed=0):
        self.alpha, self.prob = alpha, prob
        self.rng = np.random.default_rng(seed)

    def __call__(self, images, labels):
        if self.rng.random() >= self.prob:
            return images, labels, None, 1.0
        lam = float(self.rng.beta(self.alpha, self.alpha))
        index = torch.randperm(len(images))
        return lam * images + (1 - lam) * images[index], labels, labels[index], lam


def mixup_criterion(criterion, logits, targets_a, targets_b, lam):
    if targets_b is None:
        return criterion(logits, targets_a)
    return lam * criterion(logits, targets_a) + (1 - lam) * criterion(logits, targets_b)
