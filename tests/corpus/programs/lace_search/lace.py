"""Lace: photographs of it, and the patterns that they were made by."""

import torch


class Pairs:
    """Batches of as many photographs as patterns, larger and smaller by turns."""

    def __init__(self, count=60, features=24, sizes=(8,)):
        generator = torch.Generator().manual_seed(5)
        self.patterns = torch.randn(count, features, generator=generator)
        noise = torch.randn(count, features, generator=generator)
        self.photographs = self.patterns.roll(3, dims=1) + 0.4 * noise
        self.sizes = sizes

    def batches(self, epochs):
        for _ in range(epochs):
            order = torch.randperm(len(self.patterns))
            for size in self.sizes:
                chosen, order = order[:size], order[size:]
                yield self.photographs[chosen], self.patterns[chosen]

    def queries(self, size=10):
        for start in range(0, len(self.photographs), size):
            yield range(start, start + size), self.photographs[start : start + size]
