"""Losses over the hardest pairs of a batch."""

import functools

import torch
from torch.nn import functional

MINERS = {}


def miner(function):
    @functools.wraps(function)
    def checked(scores, **options):
        if scores.dim() != 2:
            raise ValueError(f"scores of shape {tuple(scores.shape)}")
        return function(scores, **options)

    MINERS[function.__name__] = checked
    return checked


@miner
def semi_hard(scores, *, slack):
    """Negatives that score within `slack` of their row's positive."""
    positive = scores.diagonal()[:, None]
    apart = ~torch.eye(len(scores), dtype=torch.bool)
    hard = apart & (scores > positive - slack)
    violations = (scores - positive + slack)[hard]
    return functional.softplus(violations).sum() / len(scores)


@miner
def pairwise(scores, *, slack):
    positive = scores.diagonal()[:, None]
    return functional.relu(scores - positive + slack).mean()
