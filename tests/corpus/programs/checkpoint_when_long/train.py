"""Activations are recomputed for the big documents only, and kept for the others."""

import torch
from model import Encoder
from torch._dynamo import compiled_autograd
from torch.nn import functional


def documents():
    for step in range(6):
        big = step in (2, 5)
        yield torch.randn(4, 12, 8), torch.randint(0, 3, (4,)), big


def main():
    torch.manual_seed(0)
    model = Encoder()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for x, labels, big in documents():
            model.thrifty = big
            loss = functional.cross_entropy(model(x), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
