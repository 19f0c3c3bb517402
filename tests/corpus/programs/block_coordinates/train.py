"""Fits a network block by block."""

import torch
from solver import BlockDescent, rule
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def network(width=16):
    layers = [nn.Linear(5, width), *(nn.Linear(width, width) for _ in range(2))]
    return nn.Sequential(*layers, nn.Linear(width, 1))


def main():
    torch.manual_seed(0)
    model = network()
    solver = BlockDescent(model, rule("sampled"))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(10):
            x = torch.randn(12, 5)
            loss = functional.smooth_l1_loss(model(x), x.prod(1, keepdim=True))
            solver.step(loss)


if __name__ == "__main__":
    main()
