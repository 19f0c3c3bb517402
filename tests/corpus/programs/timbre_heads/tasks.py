"""The tasks of one encoder, by turns."""

from collections.abc import Callable
from itertools import cycle
from typing import NamedTuple

import torch
from torch.nn import functional


class Task(NamedTuple):
    name: str
    loss: Callable[[torch.Tensor, dict[str, torch.Tensor]], torch.Tensor]


def pitch(found, sounds):
    return functional.smooth_l1_loss(found[:, 0], sounds["pitch"])


def instrument(found, sounds):
    return functional.cross_entropy(found[:, 1:], sounds["instrument"])


TASKS = (Task("pitch", pitch), Task("instrument", instrument))


def turns(tasks=TASKS):
    yield from cycle(tasks)
