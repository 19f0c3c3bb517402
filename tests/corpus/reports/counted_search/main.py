"""Puzzle solver: narrows candidates until one is left."""
import argparse

import torch

from rules import load_rules
from solver import Solver


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--puzzles", type=int, default=5)
    parser.add_argument("--size", type=int, default=40)
    options = parser.parse_args()
    solver = Solver(load_rules(options.size, count=6))
    solved = 0
    total = 0
    for number in range(options.puzzles):
        generator = torch.Generator().manual_seed(number)
        answer, rounds = solver.solve(torch.rand(options.size, generator=generator))
        solved += int(rounds < 6)
        total += int(answer)
        print("puzzle %d answer %d rounds %d" % (number, int(answer), int(rounds)))
    print("FINAL solved %d sum %d" % (solved, total))


if __name__ == "__main__":
    main()
