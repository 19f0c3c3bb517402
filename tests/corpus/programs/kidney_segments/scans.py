"""Slices of scans, and where the kidneys are."""

import torch


def slices(count, batch=4, size=12, seed=11):
    generator = torch.Generator().manual_seed(seed)
    at = torch.arange(size, dtype=torch.float32)
    for _ in range(count):
        centre = torch.rand(batch, 2, generator=generator) * size / 2 + size / 4
        far = (at[:, None] - centre[:, :1, None]).square() + (at - centre[:, 1:, None]).square()
        organ = (far < 9).long()
        noise = torch.randn(batch, size, size, generator=generator)
        yield (organ + 0.5 * noise).unsqueeze(1), organ
