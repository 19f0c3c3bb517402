"""Evaluation as a context."""

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
