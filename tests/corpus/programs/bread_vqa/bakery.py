"""Photos of bread as regions, and questions about them."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class Question:
    regions: torch.Tensor
    words: torch.Tensor
    answer: torch.Tensor

    @classmethod
    def sample(cls, batch: int, regions: int, words: int) -> Question:
        seen = torch.randn(batch, regions, 10)
        asked = torch.randint(40, (batch, words))
        return cls(seen, asked, (asked[:, 0] + seen[:, 0].argmax(-1)) % 5)


def shelf(batch=6):
    """Regions and words of each batch; both vary."""
    sizes = [(9, 9), (12, 12), (14, 8), (11, 13), (15, 15), (10, 7)]
    while True:
        for regions, words in sizes:
            yield Question.sample(batch, regions, words)
