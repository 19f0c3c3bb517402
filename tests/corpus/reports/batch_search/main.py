"""Training with an automatic micro-batch: halve it until a step fits into memory."""
import argparse

import torch

from budget import Budget
from fit import AutoMicroBatch
from net import build


def batches(count, rows):
    generator = torch.Generator().manual_seed(17)
    for _ in range(count):
        x = torch.randn(rows, 20, generator=generator)
        yield x, x[:, :1].sin()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--memory", type=int, default=9000, help="bytes that activations may take")
    options = parser.parse_args()
    torch.manual_seed(17)
    trainer = AutoMicroBatch(build(), Budget(options.memory))
    first, _ = next(batches(1, options.rows))
    print("micro batch", trainer.search(first))
    total = 0.0
    for step, (x, y) in enumerate(batches(options.steps, options.rows)):
        loss = trainer.step(x, y)
        total += loss
        print("step %d loss %.5f" % (step, loss))
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
