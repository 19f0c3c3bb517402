"""Losses for scores whose first column is the track that was played."""

from functools import partial


def focal(scores, gamma):
    """Cross-entropy that cares less for what is already ranked well."""
    played = scores.log_softmax(1)[:, 0]
    missed = 1 - played.exp()
    return -(missed**gamma * played).mean()


LOSSES = {
    "gentle": partial(focal, gamma=0.5),
    "focused": partial(focal, gamma=1.5),
    "hard": partial(focal, gamma=2.5),
}

CURRICULUM = ("gentle", "gentle", "focused", "hard", "hard")
