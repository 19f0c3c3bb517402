"""Daily records of herds, as a table with numbers and categories."""

import numpy as np
import torch

BREEDS, FEEDS = 4, 5


def herd(seed, days=28):
    rng = np.random.default_rng(seed)
    breed = rng.integers(BREEDS)
    feed = rng.integers(FEEDS, size=days)
    heat = 12 + 8 * np.sin(np.arange(days) / 6 + rng.uniform(0, 6)) + rng.normal(size=days)
    milk = np.zeros(days)
    level = 20.0 + breed
    for day in range(days):
        level += 0.15 * (22 + breed + feed[day] - 0.3 * max(heat[day] - 16, 0) - level)
        milk[day] = level + 0.3 * rng.normal()
    numbers = np.stack([heat / 10 - 1.2, np.cos(np.arange(days) / 7)], axis=1)
    return {
        "numbers": torch.tensor(numbers, dtype=torch.float32),
        "categories": torch.tensor(np.stack([np.full(days, breed), BREEDS + feed], axis=1)),
        "milk": torch.tensor((milk - 24) / 3, dtype=torch.float32),
    }


def windows(record, length):
    for start in range(0, len(record["milk"]) - length + 1, length):
        yield {name: column[start : start + length] for name, column in record.items()}
