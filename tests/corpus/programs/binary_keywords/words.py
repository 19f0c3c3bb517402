"""Spoken words as energies in bands."""

from collections.abc import Iterator

import torch

WORDS = ["yes", "no", "up", "down"]


def spoken(
    count: int, size: int = 8, bands: int = 12
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    shapes = torch.rand(len(WORDS), bands)
    for _ in range(count):
        word = torch.randint(0, len(WORDS), (size,))
        yield shapes[word] + 0.1 * torch.randn(size, bands), word
