"""Maps of dies on a wafer: passed or failed, and the pattern of the failures."""

import torch

PATTERNS = ("none", "ring", "scratch", "centre")


def wafer_map(pattern, size, noise):
    at = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(at, at, indexing="ij")
    radius = (x.square() + y.square()).sqrt()
    failed = {
        "none": torch.zeros(size, size),
        "ring": ((radius - 0.8).abs() < 0.15).float(),
        "scratch": ((x - 0.5 * y).abs() < 0.1).float(),
        "centre": (radius < 0.3).float(),
    }[pattern]
    return (failed + noise * torch.rand(size, size)).clamp(max=1) * (radius <= 1)


def lots(count, batch=8, size=9, noise=0.4):
    for _ in range(count):
        chosen = torch.randint(0, len(PATTERNS), (batch,))
        maps = torch.stack([wafer_map(PATTERNS[one], size, noise) for one in chosen])
        yield maps.unsqueeze(1), chosen
