"""Advertisements of second-hand abaci, from two marketplaces."""

import numpy as np

COLUMNS = ("age", "beads", "height", "views")


def make_frame(rows, seed):
    rng = np.random.default_rng(seed)
    frame = {
        "age": rng.gamma(2.0, 20.0, rows),
        "beads": rng.integers(20, 120, rows).astype(np.float64),
        "height": rng.normal(30.0, 8.0, rows),
        "views": rng.poisson(40, rows).astype(np.float64),
        "wood": rng.integers(0, 5, rows),
        "place": rng.integers(0, 7, rows),
    }
    price = 3 + 0.02 * frame["age"] + 0.01 * frame["beads"] + 0.2 * frame["wood"]
    frame["price"] = price + rng.normal(0, 0.2, rows)
    return frame


def split(frame, share, seed):
    rows = len(frame["price"])
    order = np.random.default_rng(seed).permutation(rows)
    cut = int(share * rows)
    return [{k: v[part] for k, v in frame.items()} for part in (order[:cut], order[cut:])]


def scaling(frame):
    return {name: (frame[name].mean(), frame[name].std()) for name in COLUMNS}
