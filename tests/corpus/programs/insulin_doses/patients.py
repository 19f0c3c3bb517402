"""Glucose curves of patients; doses come from one of several kinds of pump."""

import torch

PUMPS = ("basal", "bolus", "loop", "pen")


def visits(count, hours=24, seed=4):
    generator = torch.Generator().manual_seed(seed)
    for number in range(count):
        glucose = 6 + torch.randn(8, hours, generator=generator).cumsum(1) * 0.3
        yield {
            "pump": PUMPS[number * 3 % len(PUMPS)],
            "glucose": glucose,
            "next": glucose[:, -1] + 0.2 * torch.randn(8, generator=generator),
        }
