"""Trains the mixer and prints a table of times."""

import torch
from mixer import Mixer
from timing import SECONDS
from torch.nn import functional


def batches(count, size=6):
    for _ in range(count):
        yield torch.randn(size, 9, 16), torch.randint(0, 4, (size,))


def main():
    torch.manual_seed(0)
    model = Mixer()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for patches, kinds in batches(5):
        loss = functional.cross_entropy(compiled(patches), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for label, seconds in SECONDS.items():
        print(f"{label:10} {seconds:8.3f} s")


if __name__ == "__main__":
    main()
