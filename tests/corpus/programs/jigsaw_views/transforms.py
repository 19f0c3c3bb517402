"""Augmentations of whole batches, each with a probability."""

import random

import torch


class Transform:
    """Changes a batch now and then; what it changes is up to its subclasses."""

    def __init__(self, probability=0.5):
        self.probability = probability

    def __call__(self, images):
        if random.random() < self.probability:
            return self.changed(images)
        return images

    def changed(self, images):
        raise NotImplementedError


class Mirror(Transform):
    def changed(self, images):
        return images.flip(-1)


class Jigsaw(Transform):
    """Exchanges the quarters of each picture."""

    def changed(self, images):
        half = images.shape[-1] // 2
        return torch.roll(images, shifts=(half, half), dims=(-2, -1))


class Chain:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, images):
        for step in self.steps:
            images = step(images)
        return images.clamp(0, 1)
