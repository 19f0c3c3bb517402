"""Classifies small images; blocks of the network are dropped at random."""

import random

import torch
from blocks import ResNet
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def toy_images(count=48, classes=4):
    labels = torch.randint(0, classes, (count,))
    images = torch.randn(count, 3, 12, 12) + labels[:, None, None, None] * 0.3
    return TensorDataset(images, labels)


def main():
    random.seed(7)
    torch.manual_seed(1)
    model = ResNet().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = DataLoader(toy_images(), batch_size=8, shuffle=True)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(2):
            for images, labels in loader:
                loss = functional.cross_entropy(model(images), labels, label_smoothing=0.1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
