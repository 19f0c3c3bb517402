"""Second views of a batch of prints."""

import random
from functools import reduce

import torch


class Sometimes:
    def __init__(self, transform, p):
        self.transform, self.p = transform, p

    def __call__(self, x):
        if random.random() > self.p:
            return x
        return self.transform(x)


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms

    def __call__(self, x):
        return reduce(lambda seen, transform: transform(seen), self.transforms, x)


def smudge(x):
    return torch.nn.functional.avg_pool2d(x, 3, 1, 1)


def press(x, strength=0.3):
    return (x * (1 + strength * torch.rand(len(x), 1, 1, 1))).clamp(max=1.5)


augment = Compose(Sometimes(smudge, 0.4), Sometimes(press, 0.4))
