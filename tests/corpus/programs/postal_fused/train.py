"""Reads postal codes, on a machine with little memory."""

import torch
from fused import Fused
from torch import nn
from torch.nn.functional import cross_entropy

DIGITS = 5


def envelopes(count, batch=8, side=6):
    shapes = torch.randn(DIGITS, side * side)
    for _ in range(count):
        digits = torch.randint(DIGITS, (batch,))
        yield shapes[digits] + 0.5 * torch.randn(batch, side * side), digits


def network(side=6, width=12):
    return nn.Sequential(nn.Linear(side * side, width), nn.ReLU(), nn.Linear(width, DIGITS))


def main(epochs=2, batches=4):
    torch.manual_seed(0)
    reader = network()
    updates = Fused(reader, lr=0.1, momentum=0.9)
    for _ in range(epochs):
        for images, digits in envelopes(batches):
            cross_entropy(reader(images), digits).backward()
        updates.scale(0.5)


if __name__ == "__main__":
    main()
