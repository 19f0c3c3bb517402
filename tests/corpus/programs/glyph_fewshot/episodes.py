"""Episodes of a few glyphs each, in the way of Omniglot."""

import random

import torch


class EpisodeSampler:
    """Each episode has some classes, with `shots` examples each and queries."""

    def __init__(self, ways=(3, 6), shots=2, queries=10, seed=0):
        self.ways, self.shots, self.queries = ways, shots, queries
        self.rng = random.Random(seed)
        self.alphabet = torch.randn(20, 64, generator=torch.Generator().manual_seed(seed))

    def draw(self, glyph, count):
        return self.alphabet[glyph] + 0.3 * torch.randn(count, 64)

    def sample(self):
        glyphs = self.rng.sample(range(20), self.rng.randint(*self.ways))
        support = [self.draw(glyph, self.shots) for glyph in glyphs]
        labels = torch.randint(0, len(glyphs), (self.queries,))
        query = torch.cat([self.draw(glyphs[label], 1) for label in labels.tolist()])
        return support, query, labels
