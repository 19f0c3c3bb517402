"""Titles of old prints and what readers ask for, as bags of word ids."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

WORDS_PER_TITLE, WORDS_PER_QUERY = 8, 4


@dataclass
class Catalog:
    titles: Tensor  # (n, WORDS_PER_TITLE)

    @classmethod
    def printed(cls, n: int, vocab: int, seed: int) -> Catalog:
        g = torch.Generator().manual_seed(seed)
        topic = torch.randint(vocab // 8, (n, 1), generator=g) * 8
        words = topic + torch.randint(8, (n, WORDS_PER_TITLE), generator=g)
        return cls(words % vocab)

    def queries(self, rows: Tensor, g: torch.Generator) -> Tensor:
        """Some words of each title, as a reader remembers them."""
        order = torch.rand(len(rows), WORDS_PER_TITLE, generator=g).argsort(1)[:, :WORDS_PER_QUERY]
        return self.titles[rows].gather(1, order)

    def batches(self, batch_size: int, epoch: int):
        g = torch.Generator().manual_seed(epoch)
        for rows in torch.randperm(len(self.titles), generator=g).split(batch_size):
            yield self.queries(rows, g), self.titles[rows]
