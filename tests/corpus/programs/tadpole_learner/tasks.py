"""Episodes of a few-shot problem: ponds differ in what their tadpoles look like."""

import torch


class Episode:
    __slots__ = ("query", "query_y", "support", "support_y")

    def __init__(self, support, support_y, query, query_y):
        self.support, self.support_y = support, support_y
        self.query, self.query_y = query, query_y


class PondTasks:
    def __init__(self, ways, shots, queries, dim=10, seed=0):
        self.ways, self.shots, self.queries, self.dim = ways, shots, queries, dim
        self.generator = torch.Generator().manual_seed(seed)
        self.mixing = torch.randn(dim, dim, generator=self.generator)

    def _draw(self, centres, count):
        labels = torch.arange(self.ways).repeat(count)
        noise = torch.randn(len(labels), self.dim, generator=self.generator)
        return (centres[labels] + 0.6 * noise) @ self.mixing, labels

    def sample(self):
        centres = torch.randn(self.ways, self.dim, generator=self.generator)
        return Episode(*self._draw(centres, self.shots), *self._draw(centres, self.queries))
