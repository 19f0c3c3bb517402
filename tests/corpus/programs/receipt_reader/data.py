"""Receipts with as many lines as was bought."""

import torch

LINES, WORDS = 6, 5


def receipts(count, width=8, seed=9):
    generator = torch.Generator().manual_seed(seed)
    for index in range(count):
        bought = 2 + index % 4
        lines = [torch.randn(WORDS, width, generator=generator) for _ in range(bought)]
        yield lines, torch.randint(3, (), generator=generator)


def padded(lines, least=LINES):
    return [*lines, *(torch.zeros_like(lines[0]) for _ in range(least - len(lines)))]
