"""Clauses of contracts, as bags of terms, and which of them mean the same."""

import torch


def clause(generator, terms=20):
    return torch.rand(terms, generator=generator)


def reworded(words, generator):
    return (words + 0.2 * torch.randn(words.shape, generator=generator)).clamp(min=0)


def pairs(count, size=6, seed=5):
    """Batches of clauses and their counterparts.

    Where no counterpart is known for a batch, it stands for itself.
    """
    generator = torch.Generator().manual_seed(seed)
    for number in range(count):
        clauses = torch.stack([clause(generator) for _ in range(size)])
        known = number % 4 != 1
        counterparts = reworded(clauses, generator) if known else clauses
        yield clauses, counterparts
