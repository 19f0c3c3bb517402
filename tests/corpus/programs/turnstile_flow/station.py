"""People who pass the turnstiles of a station, minute by minute."""

import math
import random

import torch


def day(length, gates, rng):
    minutes = torch.arange(length)
    rush = torch.exp(-((minutes - length / 3) ** 2) / length)
    return torch.stack([rush * rng.uniform(3, 9) + torch.rand(length) for _ in range(gates)], -1)


def days(count, gates=4, seed=4):
    """Days of any length: stations close at different hours."""
    rng = random.Random(seed)
    for number in range(count):
        length = rng.randrange(18, 40)
        yield day(length, gates, rng), math.sin(number)
