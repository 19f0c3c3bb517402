"""True and corrupted triples of a knowledge graph."""

import random

import torch


class Triples:
    def __init__(self, config, seed=0):
        self.config = config
        self.random = random.Random(seed)

    def pick(self, limit, count):
        return torch.tensor([self.random.randrange(limit) for _ in range(count)])

    def batches(self):
        c = self.config
        for _ in range(c.steps):
            heads, tails = self.pick(c.entities, c.batch), self.pick(c.entities, c.batch)
            false = self.pick(c.entities, c.batch * c.negatives).view(c.batch, c.negatives)
            side = "tail" if self.random.random() < 0.5 else "head"
            yield heads, self.pick(c.relations, c.batch), tails, false, side
