"""Simulated books: days of ticks."""

import numpy as np
import torch


def day(seed, ticks=30, levels=5):
    rng = np.random.default_rng(seed)
    book = rng.gamma(2.0, 1.0, (ticks, levels, 2))
    moves = np.sign(rng.normal(size=ticks) + book[:, 0, 0] - book[:, 0, 1])
    return torch.as_tensor(book), torch.as_tensor(moves)


class Days(torch.utils.data.IterableDataset):
    def __init__(self, days, batch=10):
        super().__init__()
        self.days, self.batch = days, batch

    def __iter__(self):
        for seed in range(self.days):
            book, moves = day(seed)
            yield from zip(book.split(self.batch), moves.split(self.batch), strict=True)
