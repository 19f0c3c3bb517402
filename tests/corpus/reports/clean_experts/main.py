"""Mixture of experts, every expert compiled for itself."""
import argparse
from dataclasses import dataclass

import torch

from experts import Mixture


@dataclass
class Shape:
    experts: int = 12
    width: int = 8
    hidden: int = 16


def regional_compile(model):
    """Compiles each repeated block instead of the whole model."""
    for expert in model.experts:
        expert.compile(backend="eager")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    torch.manual_seed(60)
    model = regional_compile(Mixture(Shape()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(options.steps):
        x = torch.randn(6, 8)
        loss = (model(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print("step %d loss %.5f" % (step, loss.item()))
    print("FINAL %.5f" % loss.item())


if __name__ == "__main__":
    main()
