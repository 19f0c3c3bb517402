"""Trains on recordings of different lengths, with dynamic shapes."""

import torch
from model import Windowed

LENGTHS = (20, 30, 24, 28, 32, 22)


def main():
    torch.manual_seed(0)
    model = Windowed()
    compiled = torch.compile(model, backend="eager", dynamic=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for length in LENGTHS:
        loss = compiled(torch.randn(4, length, 8)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
