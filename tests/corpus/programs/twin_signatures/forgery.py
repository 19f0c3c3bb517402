"""Imitates signatures by an unsteady hand."""

import numpy as np
import torch


class Forger:
    def __init__(self, tremor=0.3, seed=0):
        self.tremor = tremor
        self.random = np.random.default_rng(seed)

    def __call__(self, signature):
        strokes = signature.numpy()
        shaken = self.random.normal(0, self.tremor, strokes.shape)
        return torch.from_numpy(strokes + shaken)
