"""Random walks over a ring with shortcuts."""

import random

import torch


class Ring:
    def __init__(self, nodes=40, shortcuts=12, seed=0):
        self.rng = random.Random(seed)
        self.neighbours = [{(n - 1) % nodes, (n + 1) % nodes} for n in range(nodes)]
        for _ in range(shortcuts):
            a, b = self.rng.sample(range(nodes), 2)
            self.neighbours[a].add(b)
            self.neighbours[b].add(a)

    def walk(self, start, length):
        walk = [start]
        while len(walk) < length:
            walk.append(self.rng.choice(sorted(self.neighbours[walk[-1]])))
        return walk

    def batches(self, count, rows=12, length=5, negatives=5):
        nodes = len(self.neighbours)
        for _ in range(count):
            starts = [self.rng.randrange(nodes) for _ in range(rows)]
            walks = torch.tensor([self.walk(start, length) for start in starts])
            yield walks, torch.randint(0, nodes, (rows, negatives))
