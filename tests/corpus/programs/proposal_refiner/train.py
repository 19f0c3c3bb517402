"""Trains the box refiner on proposals with jitter."""

import torch
from model import Refiner


def proposals(count, generator):
    objects = torch.rand(count, 4, generator=generator).cumsum(1)
    jitter = 0.2 * torch.randn(count, 4, generator=generator)
    labels = (jitter.abs().sum(1) < 0.6).float()
    pooled = torch.cat([objects, objects + jitter, jitter.abs()], 1)
    return pooled, objects + jitter, objects, labels


def main():
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    refiner = Refiner()
    optimizer = torch.optim.AdamW(refiner.parameters(), lr=5e-3)
    compiled = torch.compile(refiner, backend="aot_eager")
    for _ in range(8):
        loss = compiled(*proposals(32, generator))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
