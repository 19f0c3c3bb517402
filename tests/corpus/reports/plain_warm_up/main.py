"""Benchmark: warm-up calls first, then timed calls that must not compile."""
import argparse

import torch

from bench import Benchmark
from zoo import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="mlp")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    torch.manual_seed(12)
    bench = Benchmark(build(options.model), repeat=options.repeat)
    bench.warm_up(torch.randn(4, 8))
    print("calls %d mean %.5f" % bench.measure(torch.randn(4, 8)))


if __name__ == "__main__":
    main()
