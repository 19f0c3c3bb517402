"""Augmentations of series, by name."""

import torch

REGISTRY = {}


def augmentation(function):
    REGISTRY[function.__name__] = function
    return function


@augmentation
def jitter(x):
    return x + 0.1 * torch.randn_like(x)


@augmentation
def rescale(x):
    return x * (1 + 0.2 * torch.randn(x.shape[0], 1))


@augmentation
def reverse(x):
    return x.flip(-1)
