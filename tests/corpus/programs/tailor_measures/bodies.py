"""Measures of bodies; most are self-reported, and a few were taken by a tailor."""

import torch

MEASURES = ("height", "chest", "waist", "hip", "arm", "leg")


def bodies(count, generator):
    size = torch.randn(count, 2, generator=generator)
    mixing = torch.linspace(-1, 1, 2 * len(MEASURES)).view(2, -1)
    return size @ mixing + 0.1 * torch.randn(count, len(MEASURES), generator=generator)


def orders(count, size=6, seed=41):
    """Yield batches in which some measures are missing: a dict and who took them."""
    generator = torch.Generator().manual_seed(seed)
    for number in range(count):
        values = bodies(size, generator)
        missing = torch.rand(size, len(MEASURES), generator=generator) < 0.3
        yield {
            "seen": values.masked_fill(missing, 0.0),
            "missing": missing.float(),
            "values": values,
            "by": "tailor" if number % 4 == 3 else "customer",
        }
