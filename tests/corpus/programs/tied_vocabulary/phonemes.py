"""Words as phonemes, each to be followed by the next."""

import torch

INVENTORY = "ptkbdgmnfvszaeiou"


def spoken(rng, length):
    """Consonants and vowels by turns."""
    vowels, consonants = INVENTORY[-5:], INVENTORY[:-5]
    return [INVENTORY.index(rng.choice((consonants, vowels)[i % 2])) for i in range(length)]


def batches(rng, count, size=6, length=8):
    for _ in range(count):
        words = torch.tensor([spoken(rng, length) for _ in range(size)])
        yield {"input": words[:, :-1], "target": words[:, 1:]}
