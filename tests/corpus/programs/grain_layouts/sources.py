"""Pictures of grains of rice: from the camera, and from the archive."""

from itertools import chain

import numpy as np
import torch


class Source:
    """Draws grains, some of them broken, in batches."""

    def __init__(self, batches, batch=6, side=9, seed=0):
        self.batches, self.batch, self.side = batches, batch, side
        self.random = np.random.default_rng(seed)

    def decode(self, pixels):
        return pixels

    def shape(self):
        return (self.batch, 3, self.side, self.side)

    def __iter__(self):
        for _ in range(self.batches):
            broken = torch.from_numpy(self.random.integers(0, 2, self.batch))
            pixels = torch.from_numpy(self.random.normal(size=self.shape())).float()
            pixels[broken == 1] *= 0.5
            yield self.decode(pixels), broken


class Camera(Source):
    """Gives rows of pixels, as cameras do."""

    def shape(self):
        return (self.batch, self.side, self.side, 3)

    def decode(self, pixels):
        return pixels.permute(0, 3, 1, 2)


def interleaved(*sources):
    return chain.from_iterable(zip(*sources, strict=True))
