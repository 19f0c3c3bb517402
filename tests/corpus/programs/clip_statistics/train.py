"""Gradients of the last layer are clipped by a hook; every second epoch reports."""

import torch
from monitor import Clipper
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    clipper = Clipper(0.05)
    model[2].weight.register_hook(clipper)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(6):
            x = torch.randn(8, 6)
            loss = functional.cross_entropy(model(x), x[:, :3].argmax(1))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
    print(f"{clipper.seen} gradients clipped")


if __name__ == "__main__":
    main()
