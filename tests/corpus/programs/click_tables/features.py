"""Impressions of advertisements: categorical and numeric columns."""

import numpy as np
import torch

FIELDS = {"site": 20, "device": 6, "hour": 24}


class Impressions:
    def __init__(self, rows=160, seed=0):
        rng = np.random.default_rng(seed)
        self.columns = {name: rng.integers(0, size, rows) for name, size in FIELDS.items()}
        self.price = rng.random((rows, 3)).astype(np.float32)
        self.dwell = rng.random((rows, 2)).astype(np.float32)
        self.clicked = (rng.random(rows) < 0.3).astype(np.float32)

    def batch(self, rows):
        found = {name: torch.as_tensor(values[rows]) for name, values in self.columns.items()}
        found["price"] = torch.as_tensor(self.price[rows])
        # The dwell time is known only for sessions that have ended.
        if (rows // 32)[0] % 2 == 0:
            found["dwell"] = torch.as_tensor(self.dwell[rows])
        return found, torch.as_tensor(self.clicked[rows])


def standardize(values, mean, std):
    return (values - mean) / std


def train_batches(data, batch_size=32, last=128):
    for start in range(0, last, batch_size):
        yield data.batch(np.arange(start, start + batch_size))


def holdout(data, first=128):
    rows = np.arange(first, len(data.clicked))
    inputs, clicked = data.batch(rows)
    mean, std = data.price.mean(0, dtype=np.float64), data.price.std(0, dtype=np.float64)
    inputs["price"] = torch.as_tensor(standardize(data.price[rows], mean, std))
    return inputs, clicked
