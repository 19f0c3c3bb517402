"""Sessions of a shop: what was looked at, and the profile of who is logged in."""

from typing import NamedTuple

import torch


class Session(NamedTuple):
    viewed: torch.Tensor
    bought: torch.Tensor
    profile: "torch.Tensor | None" = None


def stream(batches, size=8, items=30, known_every=3):
    for number in range(batches):
        viewed = torch.randint(0, items, (size, 5))
        bought = viewed[:, 2]
        if number % known_every == 0:
            yield Session(viewed, bought)
        else:
            yield Session(viewed, bought, torch.randn(size, 6))
