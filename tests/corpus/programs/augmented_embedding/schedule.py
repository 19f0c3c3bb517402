"""Numbers that follow the epochs."""

import math


def cosine(start, end, epochs):
    """Yields a value per epoch, from `start` to `end` along a cosine."""
    for epoch in range(epochs):
        share = (1 - math.cos(math.pi * epoch / (epochs - 1))) / 2
        yield start + (end - start) * share
