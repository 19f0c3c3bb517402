"""Images of two scanners; each vendor has a format of its own."""

import numpy as np
import torch

READERS = {}


def reader(vendor):
    def decorate(function):
        READERS[vendor] = function
        return function

    return decorate


@reader("planar")
def planar(rng, size):
    """Channels, then rows, then columns."""
    return torch.from_numpy(rng.random((size, 3, 16, 16), dtype=np.float32))


@reader("interleaved")
def interleaved(rng, size):
    """Rows, then columns, then channels."""
    pixels = rng.random((size, 16, 16, 3), dtype=np.float32)
    return torch.from_numpy(pixels).permute(0, 3, 1, 2)


def stream(vendors, size, seed=0):
    rng = np.random.default_rng(seed)
    for vendor in vendors:
        yield READERS[vendor](rng, size), torch.from_numpy(rng.integers(0, 2, size))
