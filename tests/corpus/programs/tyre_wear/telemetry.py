"""Laps of a race car: samples of four wheels, and the wear that was measured after them."""

import numpy as np


def record(laps, seed=0):
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=(laps, 4, 16)).astype(np.float32)
    wear = np.abs(samples).mean(axis=(1, 2)) + 0.2 * samples[:, 0, 0]
    temperature = samples[:, :, -1] * 10 + 80
    return samples, wear.astype(np.float32), temperature.astype(np.float32)


def iterate(columns, batch, rng):
    order = rng.permutation(len(columns[0]))
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        yield [column[rows] for column in columns]
