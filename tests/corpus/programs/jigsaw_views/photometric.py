"""Augmentations of colour."""

import numpy as np
import torch
from transforms import Transform


class WhiteBalance(Transform):
    """Every channel of every picture has a gain of its own."""

    def __init__(self, strength=0.1, probability=1.0, seed=0):
        super().__init__(probability)
        self.strength = strength
        self.generator = np.random.default_rng(seed)

    def changed(self, images):
        gains = self.generator.normal(1.0, self.strength, size=(len(images), 3, 1, 1))
        return images * torch.from_numpy(gains).float()


class Grayscale(Transform):
    def changed(self, images):
        return images.mean(1, keepdim=True).expand_as(images)
