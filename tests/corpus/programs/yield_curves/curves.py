"""Daily curves of three factors that revert to their means, with a few wild days."""

import numpy as np

TENORS = np.array([0.25, 0.5, 1, 2, 3, 5, 7, 10, 20, 30], dtype=np.float64)


def loadings(decay=0.6):
    x = TENORS * decay
    slope = (1 - np.exp(-x)) / x
    return np.stack([np.ones_like(x), slope, slope - np.exp(-x)])


def simulate(days, seed):
    rng = np.random.default_rng(seed)
    mean, factors = np.array([4.0, -1.5, 0.5]), np.array([3.5, -1.0, 0.2])
    rows = []
    for _ in range(days):
        shock = rng.standard_t(3, size=3) * 0.06
        factors = factors + 0.05 * (mean - factors) + shock
        rows.append(factors @ loadings() + 0.02 * rng.standard_normal(len(TENORS)))
    return np.array(rows, dtype=np.float32)
