import os
import random

import numpy as np
import torch


def seed_everything(seed=42):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0.0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1.0, self.count)


def mixup(images, counts, alpha, p):
    """Returns mixed images, both targets, and the share of the first."""
    lam = float(np.random.beta(alpha, alpha)) if random.random() < p else 1.0
    perm = torch.randperm(images.size(0))
    mixed = lam * images + (1 - lam) * images[perm]
    return mixed, counts, counts[perm], lam
