"""Pairs of phrases."""

import random

import torch

PAD, SOS, EOS = 0, 1, 2
WORDS = 40


def random_pair(rng):
    source = [rng.randrange(3, WORDS) for _ in range(rng.randint(2, 4))]
    target = [*reversed(source), EOS]
    return source, target


def get_batches(count, batch_size=6, seed=0, max_source=4):
    """Batches of pairs; targets are padded to the longest of their batch."""
    rng = random.Random(seed)
    for _ in range(count):
        longest = rng.randint(2, max_source)
        pairs = [random_pair(rng) for _ in range(batch_size)]
        pairs = [(s[:longest], [*t[: longest - 1], EOS]) for s, t in pairs]
        source = torch.tensor([s + [PAD] * (max_source - len(s)) for s, _ in pairs])
        width = max(len(t) for _, t in pairs)
        target = torch.tensor([t + [PAD] * (width - len(t)) for _, t in pairs])
        yield source, target
