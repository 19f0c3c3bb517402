"""Transforms of whole batches: pictures and masks together."""

import random

from torch.nn import functional as F


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, image, target):
        for transform in self.transforms:
            image, target = transform(image, target)
        return image, target


class RandomHorizontalFlip:
    def __init__(self, flip_prob):
        self.flip_prob = flip_prob

    def __call__(self, image, target):
        if random.random() < self.flip_prob:
            return image.flip(-1), target.flip(-1)
        return image, target


class RandomResize:
    def __init__(self, min_size, max_size, step=4):
        self.sizes = range(min_size, max_size + 1, step)

    def __call__(self, image, target):
        size = random.choice(self.sizes)
        image = F.interpolate(image, size=(size, size), mode="bilinear", antialias=True)
        target = F.interpolate(target[:, None].float(), size=(size, size), mode="nearest")
        return image, target[:, 0].long()
