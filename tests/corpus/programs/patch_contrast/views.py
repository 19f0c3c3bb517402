"""Crops of feature maps, and which of them to compare."""

import torch
from torch.nn import functional


def bands(height, step, size=3):
    top = step * size % (height - size + 1)
    return slice(top, top + size)


def contrast(first, second, rows):
    pair = [maps[:, :, rows].flatten(1) for maps in (first, second)]
    first, second = (functional.normalize(one, dim=1) for one in pair)
    logits = first @ second.T / 0.2
    return functional.cross_entropy(logits, torch.arange(len(logits)))


def two_views(images, generator):
    noise = torch.randn(2, *images.shape, generator=generator)
    return (images + 0.1 * one for one in noise)
