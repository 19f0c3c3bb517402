"""What is watched of a network while it learns."""

import torch

MONITORS = {}


def monitor(function):
    MONITORS[function.__name__] = function
    return function


@monitor
def dead(hidden):
    """The share of units that are silent for the whole batch."""
    return (hidden.detach() <= 0).all(dim=0).float().mean()


@monitor
@torch.compiler.disable
def spread(hidden):
    """How unlike each other the hidden vectors are."""
    values = torch.linalg.svdvals(hidden.detach())
    return values.sum() / values.amax()
