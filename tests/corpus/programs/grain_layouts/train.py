"""Sorts grains."""

import torch
from loop import Loop
from sources import Camera, Source, interleaved
from torch import nn


def sorter(width=8):
    return nn.Sequential(
        nn.Conv2d(3, width, 3),
        nn.GroupNorm(2, width),
        nn.SiLU(),
        nn.Conv2d(width, width, 3, stride=2),
        nn.SiLU(),
        nn.Flatten(),
        nn.LazyLinear(2),
    )


def main():
    torch.manual_seed(0)
    model = sorter()
    model(torch.zeros(1, 3, 9, 9))
    loop = Loop(model, every=3)
    for epoch in range(2):
        archive, camera = Source(6, seed=epoch), Camera(6, seed=10 + epoch)
        loop.fit(interleaved(archive, camera))
        print(f"{epoch}: {sum(loop.losses[-12:]):.2f}")


if __name__ == "__main__":
    main()
