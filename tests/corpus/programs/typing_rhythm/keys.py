"""Keystrokes of one person: code, how long held, how long since the one before."""

import random
from typing import NamedTuple

import torch


class Burst(NamedTuple):
    codes: torch.Tensor
    times: torch.Tensor
    owner: torch.Tensor
    fresh: bool


def sessions(people=3, bursts=4, length=12, batch=6, seed=2):
    """Bursts of several sessions; the first of each is marked as fresh."""
    random.seed(seed)
    for _ in range(people):
        tempo = random.uniform(0.1, 0.4)
        for number in range(bursts):
            codes = torch.randint(30, (batch, length))
            times = torch.empty(batch, length, 2).exponential_(1 / tempo)
            yield Burst(codes, times, (codes.sum(1) % 2).float(), number == 0)
