"""Episodes of a few classes: some shots to learn from, some to be asked."""

import random
from typing import NamedTuple

import torch


class Episode(NamedTuple):
    support: torch.Tensor
    support_labels: torch.Tensor
    query: torch.Tensor
    query_labels: torch.Tensor


class EpisodeSampler:
    """Shots and questions per class vary between episodes, as on the benchmark."""

    def __init__(self, ways=4, features=10, seed=0):
        self.ways, self.features = ways, features
        self.rng = random.Random(seed)
        self.sizes = [(5, 5), (5, 7), (4, 6), (6, 9), (3, 8)]

    def _side(self, per_class, centers):
        labels = torch.arange(self.ways).repeat_interleave(per_class)
        return centers[labels] + 0.3 * torch.randn(len(labels), self.features), labels

    def __iter__(self):
        for shots, questions in self.sizes:
            centers = torch.randn(self.ways, self.features)
            yield Episode(*self._side(shots, centers), *self._side(questions, centers))
