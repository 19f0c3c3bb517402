"""Tells who types, from the rhythm."""

import logging

import torch
from keys import sessions
from net import Typist
from torch.nn.functional import binary_cross_entropy_with_logits as bce


class Running:
    """A mean of what was seen."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def __iadd__(self, value):
        self.total, self.count = self.total + value, self.count + 1
        return self

    def __str__(self):
        return f"{self.total / self.count:.3f}"


def main():
    logging.basicConfig(level=logging.WARNING)
    torch.manual_seed(9)
    typist = Typist()
    forward = torch.compile(typist, backend="eager")
    optimizer = torch.optim.SGD(typist.parameters(), lr=0.1, momentum=0.8)
    mean, state = Running(), None
    for burst in sessions():
        if burst.fresh:
            state = None
        logits, state = forward(burst.codes, burst.times, state)
        loss = bce(logits, burst.owner)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = state.detach()
        mean += loss.item()
    print("loss", mean)


if __name__ == "__main__":
    main()
