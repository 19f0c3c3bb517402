"""Dishes of a menu as words, and what they cost in the other language's bistro."""

import random
from typing import NamedTuple

import torch
from torch import Tensor

PAD = 0
VOCAB = 60
MAX_WORDS = 6


class Batch(NamedTuple):
    tokens: Tensor
    mask: Tensor | None
    label: Tensor


def sample_dish(rng: random.Random) -> list[int]:
    n = rng.choice([MAX_WORDS] * 5 + [3, 4])
    return [rng.randrange(1, VOCAB) for _ in range(n)]


def collate(dishes: list[list[int]]) -> Batch:
    tokens = torch.full((len(dishes), MAX_WORDS), PAD)
    for row, dish in enumerate(dishes):
        tokens[row, : len(dish)] = torch.tensor(dish)
    padded = tokens == PAD
    label = torch.tensor([dish[0] % 8 for dish in dishes])
    return Batch(tokens, padded if padded.any() else None, label)


def batches(count: int, size: int, seed: int = 0):
    rng = random.Random(seed)
    for _ in range(count):
        yield collate([sample_dish(rng) for _ in range(size)])
