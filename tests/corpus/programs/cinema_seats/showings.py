"""Visitors of a cinema and what they look for in a seat."""

import torch

SIZES = (12, 9, 14, 20, 11, 16, 18, 13)


def showing(visitors, wishes=4):
    return torch.randn(visitors, wishes)


def evening():
    """One showing after another, each with as many visitors as came."""
    for visitors in SIZES:
        yield showing(visitors)
