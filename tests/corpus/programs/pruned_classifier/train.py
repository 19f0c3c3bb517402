"""Looks for a winning ticket: train, prune, train on."""

import torch
from pruning import Pruner
from tickets import blobs, shuffled
from torch import nn
from torch._dynamo import compiled_autograd

ROUNDS, EPOCHS = 4, 1


def build(width=14):
    return nn.Sequential(
        nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 4)
    )


def epoch_of(model, optimizer, points, labels):
    correct = 0
    for x, y in shuffled(points, labels, size=20):
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += int((logits.argmax(1) == y).sum())
    return correct / len(points)


def main():
    torch.manual_seed(0)
    model, (points, labels) = build(), blobs(70)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    pruner = Pruner(model, ROUNDS)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for turn in range(ROUNDS):
            for _ in range(EPOCHS):
                epoch_of(model, optimizer, points, labels)
            pruner.prune(turn)
        epoch_of(model, optimizer, points, labels)


if __name__ == "__main__":
    main()
