"""Objectives over a sequence of maps."""

from itertools import pairwise


def total_variation(maps):
    """How much the maps of a sequence change from one to the next."""
    changes = [(after - before).abs().mean() for before, after in pairwise(maps)]
    return sum(changes)


def mismatch(maps, wanted):
    return (maps[-1] - wanted).square().mean()
