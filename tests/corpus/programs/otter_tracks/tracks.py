"""Footprints of otters and of mink, measured on river banks."""

import numpy as np

COLUMNS = ("length", "width", "stride", "toe_spread", "depth", "moisture")


def measure(seed, count):
    rng = np.random.default_rng(seed)
    otter = rng.random(count) < 0.5
    table = rng.normal(size=(count, len(COLUMNS))).astype("float32")
    table[:, 0] += np.where(otter, 1.0, -1.0)
    table[:, 2] += np.where(otter, 0.6, -0.2)
    return table, otter.astype("float32")


def batches(table, otter, size, rng):
    order = rng.permutation(len(table))
    for start in range(0, len(order) - size + 1, size):
        rows = order[start : start + size]
        yield table[rows], otter[rows]
