"""Scoring service: batch size is whatever arrives."""
import argparse

import torch

from inputs import Arrival, arrivals, prepare
from scorer import Scorer


class Service:
    def __init__(self):
        torch.manual_seed(8)
        self.scorer = Scorer(width=10)
        self.fast = torch.compile(self.scorer, backend="eager")
        self.warm = False

    @torch.no_grad()
    def handle(self, arrival: Arrival):
        features, mask = prepare(arrival)
        return self.fast(features, mask)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=6)
    options = parser.parse_args()
    service = Service()
    total = 0.0
    for arrival in arrivals(options.requests):
        scores = service.handle(arrival)
        total += scores.sum().item()
        print("%d rows, best %.5f" % (arrival.rows, scores.max().item()))
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
