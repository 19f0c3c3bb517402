"""Schedules of the learning rate, by name."""

import math
from functools import partial

from torch.optim.lr_scheduler import LambdaLR

SCHEDULES = {}


def schedule(function):
    SCHEDULES[function.__name__] = function
    return function


@schedule
def cosine_with_warmup(step, warmup, total):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@schedule
def constant(step, warmup, total):
    return 1.0


def get_scheduler(name, optimizer, warmup, total):
    return LambdaLR(optimizer, partial(SCHEDULES[name], warmup=warmup, total=total))
