"""Differentiable augmentation, for real and made sprites alike."""

import random

import torch


def mirror(images):
    return images.flip(-1)


def fade(images):
    brightness = 0.5 + torch.rand(len(images), 1, 1, 1)
    return images * brightness


def patch(images):
    size = images.shape[-1]
    left = torch.randint(0, size - 4, (len(images), 1, 1, 1))
    column = torch.arange(size)
    return images.masked_fill((column >= left) & (column < left + 4), 0.0)


KNOWN = {"mirror": mirror, "fade": fade, "patch": patch}


class Augment:
    def __init__(self, names, probability):
        self.operations = [KNOWN[name] for name in names]
        self.probability = probability

    def __call__(self, images):
        for operation in self.operations:
            if random.random() < 0.5 * self.probability:
                images = operation(images)
        return images
