"""Notes of two clinics; one of them also measures the blood pressure."""

from collections import ChainMap

import torch


def base(size):
    return {"words": torch.randint(0, 50, (size, 12)), "age": torch.rand(size, 1)}


def record(clinic, size):
    found = base(size)
    if clinic == "city":
        found["pressure"] = torch.rand(size, 1)
    return found


def visits(plan, size=8):
    return [(dict(ChainMap({}, record(clinic, size))), torch.rand(size)) for clinic in plan]
