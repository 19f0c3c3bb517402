"""Loans as a table, a tenth of which default; the minority is oversampled in every other batch."""

import numpy as np
import torch

COLUMNS = ["income", "debt", "age", "late", "amount", "term"]


def table(rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, len(COLUMNS))).astype(np.float32)
    risk = 1.2 * x[:, 1] + 1.5 * x[:, 3] - x[:, 0] - 2.4
    y = (rng.random(rows) < 1 / (1 + np.exp(-risk))).astype(np.float32)
    return x, y


def smote(x, y, share, rng):
    """Replaces rows of the majority by points between two rows of the minority."""
    few, many = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    if len(few) < 2:
        return x, y
    count = int(share * len(many))
    replaced = rng.choice(many, count, replace=False)
    a, b = rng.choice(few, count), rng.choice(few, count)
    between = rng.random((count, 1))
    made = x[a] + between * (x[b] - x[a])
    x, y = np.concatenate([np.delete(x, replaced, 0), made]), np.delete(y, replaced)
    return x, np.concatenate([y, np.ones(count, dtype=np.float32)])


class Batches:
    def __init__(self, x, y, size, seed, share=0.3):
        self.x, self.y, self.size, self.share = x, y, size, share
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        order = self.rng.permutation(len(self.x))
        for number in range(len(order) // self.size):
            rows = order[number * self.size : (number + 1) * self.size]
            x, y = self.x[rows], self.y[rows]
            if number % 2:
                x, y = smote(x, y, self.share, self.rng)
            yield torch.from_numpy(x), torch.from_numpy(y)
