"""Trains the mixture of experts on tokens of four clusters."""

import torch
from moe import Classifier
from torch._dynamo import compiled_autograd
from torch.nn import functional


def batches(count, size):
    centers = torch.randn(4, 8) * 2
    for _ in range(count):
        labels = torch.randint(0, 4, (size,))
        yield centers[labels] + torch.randn(size, 8), labels


def main():
    torch.manual_seed(0)
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with compiled_autograd._enable(torch.compile(backend="eager", dynamic=False)):
        for tokens, labels in batches(10, 64):
            loss = functional.cross_entropy(model(tokens), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
