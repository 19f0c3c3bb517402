"""How high a starter rises, hour by hour."""

import math
import random

import torch


def jar(hours, flour, warmth):
    curve = [flour * (1 - math.exp(-((h * warmth) ** 2) / 40)) for h in range(hours)]
    return torch.tensor(curve)


def bakery(jars, rng):
    rows = [jar(12, rng.uniform(0.5, 1.5), rng.uniform(0.6, 1.4)) for _ in range(jars)]
    return torch.stack(rows) + 0.02 * torch.randn(jars, 12)


def weeks(count, sizes=(8, 8, 5)):
    rng = random.Random(count)
    for week in range(count):
        for jars in sizes:
            yield week, bakery(jars, rng)
