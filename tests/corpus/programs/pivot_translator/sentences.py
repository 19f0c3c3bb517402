"""Sentences in three languages, as vectors of their words."""

import random

import torch

LANGUAGES = ("danish", "english", "french")


class Parallel:
    def __init__(self, words=10, seed=1):
        self.generator = torch.Generator().manual_seed(seed)
        self.rng = random.Random(seed)
        self.turns = {
            name: torch.linalg.qr(torch.randn(words, words, generator=self.generator))[0]
            for name in LANGUAGES
        }

    def batch(self, size=6):
        words = next(iter(self.turns.values())).shape[0]
        meaning = torch.randn(size, words, generator=self.generator)
        return {name: meaning @ turn for name, turn in self.turns.items()}

    def direction(self):
        source, target = self.rng.sample(LANGUAGES, k=2)
        return source, target
