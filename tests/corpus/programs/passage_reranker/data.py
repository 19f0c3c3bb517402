"""Questions with the passages that a first search found."""

import random
from typing import NamedTuple

import torch


class Query(NamedTuple):
    question: torch.Tensor
    passages: list[torch.Tensor]
    answer: int


def collate(found):
    """Joins queries; keeps as many passages as the poorest of them has."""
    fewest = min(len(query.passages) for query in found)
    columns = zip(*(query.passages[:fewest] for query in found), strict=True)
    passages = [torch.stack(column) for column in columns]
    answers = torch.tensor([min(query.answer, fewest - 1) for query in found])
    return Query(torch.stack([query.question for query in found]), passages, answers)


def queries(count, width, seed=8):
    chance = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    for index in range(count):
        several = 3 + (index // 4) % 4
        passages = [torch.randn(width, generator=generator) for _ in range(several)]
        question = torch.randn(width, generator=generator)
        yield Query(question, passages, chance.randrange(several))
