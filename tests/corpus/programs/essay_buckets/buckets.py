"""Batches of essays of like length."""

import random

import torch


class BucketBatches:
    """Full batches of essays whose lengths are near to each other, padded to the longest."""

    def __init__(self, essays, scores, batch_size, seed=0):
        self.essays, self.scores, self.batch_size = essays, scores, batch_size
        self.random = random.Random(seed)

    def __iter__(self):
        order = sorted(range(len(self.essays)), key=lambda one: len(self.essays[one]))
        starts = list(range(0, len(order) - self.batch_size + 1, self.batch_size))
        self.random.shuffle(starts)
        for start in starts:
            rows = order[start : start + self.batch_size]
            tokens = torch.nn.utils.rnn.pad_sequence(
                [self.essays[row] for row in rows], batch_first=True
            )
            yield tokens, self.scores[rows]
