"""Random walks for prices, cut into windows."""

import numpy as np
import torch

WINDOW, HORIZON = 20, 5


class Market:
    def __init__(self, tickers=8, days=120, seed=0):
        rng = np.random.default_rng(seed)
        steps = rng.normal(0, 1, (tickers, days, 3)).cumsum(1)
        scaled = (steps - steps.mean(1, keepdims=True)) / steps.std(1, keepdims=True)
        self.prices = torch.from_numpy(scaled.astype(np.float32))

    def batch(self, start):
        window = self.prices[:, start : start + WINDOW]
        target = self.prices[:, start + WINDOW : start + WINDOW + HORIZON, 0]
        return window, target

    def split(self, first, last):
        for start in range(first, last - WINDOW - HORIZON, 7):
            yield self.batch(start)

    def latest(self, ticker):
        window, target = self.batch(self.prices.shape[1] - WINDOW - HORIZON)
        return window[ticker], target[ticker]
