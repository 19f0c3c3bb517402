"""Trains a small mixer with sharpness-aware steps."""

import torch
from memory import compressed_activations
from sam import SharpnessAware
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Mixer(nn.Module):
    def __init__(self, patches=6, width=8, classes=3):
        super().__init__()
        self.tokens = nn.Linear(patches, patches)
        self.channels = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = x + self.tokens(x.transpose(1, 2)).transpose(1, 2).tanh()
        x = x + self.channels(x).tanh()
        return self.head(x.mean(1))


def backward(model, x, labels, weight):
    with compressed_activations():
        loss = functional.cross_entropy(model(x), labels) * weight
    loss.backward()
    return loss.detach()


def main(steps=5):
    torch.manual_seed(0)
    model = Mixer()
    base = torch.optim.SGD(model.parameters(), lr=0.1)
    sam = SharpnessAware(model.parameters(), base)
    gaps = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            x = torch.randn(10, 6, 8)
            labels = x.mean((1, 2)).sign().long() + 1
            weight = 1.0 / (1 + step)
            here = backward(model, x, labels, weight)
            sam.ascend()
            there = backward(model, x, labels, weight)
            sam.descend()
            gaps.append((there - here) / weight)
    return torch.stack(gaps)


if __name__ == "__main__":
    main()
