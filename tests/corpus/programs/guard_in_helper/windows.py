"""Splits a sequence into windows."""

from torch.nn import functional


def windows(x, size):
    """Cut `x`, (batch, length, width), into windows of `size`."""
    batch, length, width = x.shape
    missing = -length % size
    if missing:
        x = functional.pad(x, (0, 0, 0, missing))
    return x.reshape(batch, -1, size, width)
