"""Evaluates a model, and leaves it as it was."""

from contextlib import contextmanager

import torch


@contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        model.train(was)


def accuracy(model, run, batches):
    right = total = 0
    with evaluating(model):
        for x, y in batches:
            right += (run(x).argmax(1) == y).sum().item()
            total += len(y)
    return right / total
