"""Interactions as the exporters left them: one shard for each month."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Shard:
    month: str
    users: np.ndarray
    items: np.ndarray
    ratings: np.ndarray


def _ratings_of(users, items, rng):
    taste = np.sin(users * 1.3 + items * 0.7)
    return 3 + 1.5 * taste + 0.3 * rng.standard_normal(len(users))


def export(months, n_users, n_items, rows, seed=0):
    rng = np.random.default_rng(seed)
    for number, month in enumerate(months):
        users = rng.integers(0, n_users, rows)
        items = rng.integers(0, n_items, rows)
        ratings = _ratings_of(users, items, rng)
        if number % 2 == 0:  # the old exporter wrote whole stars, as compactly as it could
            ratings = np.rint(ratings).astype(np.float32)
        yield Shard(month, users, items, ratings)
