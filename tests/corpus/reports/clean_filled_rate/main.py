"""Linear warm-up of the rate of a hand-written table update."""
import argparse

import torch

from table import Table
from warmup import Warmup


def batches(count):
    generator = torch.Generator().manual_seed(80)
    for _ in range(count):
        yield torch.randint(0, 30, (12,), generator=generator)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--peak", type=float, default=0.2)
    options = parser.parse_args()
    torch.manual_seed(80)
    rate = torch.zeros(())
    warmup = Warmup(rate, options.peak, length=10)
    table = Table(rows=30, width=4, rate=rate)
    loss = 0.0
    for step, ids in enumerate(batches(options.steps)):
        warmup.step(step)
        loss = table.learn(ids)
    print("rate %.4f" % rate.item())
    print("FINAL %.5f" % loss)


if __name__ == "__main__":
    main()
