"""Sums shards of a quantized table; some shards carry a scale, some do not."""
import argparse

import torch

from quantized import Quantized
from shards import load_shards


def score(shard, query):
    return (shard * query).sum(-1)


class Index:
    def __init__(self, shards):
        self.shards = shards
        self.score = torch.compile(score, backend="aot_eager")

    def best(self, query):
        tops = [self.score(shard, query).max().item() for shard in self.shards]
        return max(tops)


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=3)
    options = parser.parse_args()
    index = Index(load_shards(6))
    total = 0.0
    for number in range(options.queries):
        generator = torch.Generator().manual_seed(number)
        total += index.best(torch.randn(8, generator=generator))
    print("FINAL %.4f" % total)


if __name__ == "__main__":
    main()
