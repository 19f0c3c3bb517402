"""Trains a network of one-bit weights to hear keywords, on a device with little memory."""

import torch
from binarize import BinaryLinear
from torch import nn
from torch._dynamo import compiled_autograd
from words import WORDS, spoken

BACKEND = "eager"


def network(bands=12, width=10):
    return nn.Sequential(
        nn.Linear(bands, width),
        nn.Hardtanh(),
        BinaryLinear(width, width),
        nn.Hardtanh(),
        nn.Linear(width, len(WORDS)),
    )


def train(steps=6):
    torch.manual_seed(0)
    model = network()
    compiled = torch.compile(model, backend=BACKEND)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for sound, word in spoken(steps):
            loss = nn.functional.cross_entropy(compiled(sound), word)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    train()
