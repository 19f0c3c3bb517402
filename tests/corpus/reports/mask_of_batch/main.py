"""Decode loop of a toy server: a mask function for each scheduled batch."""
import argparse

import torch

from attention import Attention
from backend import MaskBuilder
from scheduler import Scheduler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=14)
    parser.add_argument("--slots", type=int, default=24)
    options = parser.parse_args()
    torch.manual_seed(18)
    attention = Attention(width=8)
    fast = torch.compile(attention, backend="eager")
    builder = MaskBuilder()
    total = 0.0
    with torch.no_grad():
        for batch in Scheduler(options.slots).batches(options.batches):
            x = torch.randn(2, options.slots, 8)
            out = fast(x, builder.build(batch))
            total += out.square().mean().item()
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
