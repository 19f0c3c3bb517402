"""The learning rate: up in a line, then down along a cosine."""

import math


def rate_at(step, *, peak, warmup, total, floor=0.1):
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / max(1, total - warmup)
    return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * progress)))


def set_rate(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("scale", 1.0)
