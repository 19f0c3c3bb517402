"""Symbolic regression: candidate formulas are turned into functions and scored."""
import argparse
import random

import torch

from engine import Engine
from grammar import Formula, PIECES


class Population:
    def __init__(self, size, seed):
        self.random = random.Random(seed)
        self.members = [self.draw() for _ in range(size)]

    def draw(self):
        return Formula(tuple(self.random.choice(PIECES) for _ in range(2)))

    def clone_best(self, scores):
        order = sorted(range(len(self.members)), key=lambda i: scores[i])
        keep = [self.members[i] for i in order[: len(order) // 2]]
        # every generation holds fresh copies, so that mutation can be added later
        self.members = [Formula(f.parts) for f in keep + keep]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--size", type=int, default=4)
    options = parser.parse_args()
    torch.manual_seed(1)
    x = torch.linspace(-1, 1, 64)
    y = torch.sin(2 * x)
    engine = Engine()
    population = Population(options.size, seed=12)
    best = None
    for generation in range(options.generations):
        scores = [engine.score(formula, x, y) for formula in population.members]
        best = min(scores)
        print("generation %d best %.5f" % (generation, best))
        population.clone_best(scores)
    print("FINAL %.5f" % best)


if __name__ == "__main__":
    main()
