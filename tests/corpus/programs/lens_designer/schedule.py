"""Learning rates as plain functions of the step."""

import math


def cosine(base, total, floor=0.05):
    def at(step):
        return base * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * step / total)))

    return at


def apply(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate
