"""Mixtures of examples."""

from dataclasses import dataclass

import numpy as np
from lightning.pytorch import Callback


@dataclass
class Mixture:
    """Which share of an example is its own."""

    share: float = 1.0


class Mixup(Callback):
    def __init__(self, alpha=0.4, seed=0):
        self.alpha = alpha
        self.random = np.random.default_rng(seed)

    def on_train_batch_start(self, trainer, module, batch, batch_idx):
        module.network.mixture.share = float(self.random.beta(self.alpha, self.alpha))
