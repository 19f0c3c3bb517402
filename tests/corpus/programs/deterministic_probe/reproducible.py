"""Steps whose numbers can be compared between machines."""

from contextlib import contextmanager

import torch


@contextmanager
def reproducible(on):
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(on or before)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


class Fingerprints:
    def __init__(self, every):
        self.every, self.found = every, []

    def wanted(self, step):
        return step % self.every == self.every - 1

    def take(self, step, model):
        if self.wanted(step):
            self.found.append(sum(one.grad.abs().sum() for one in model.parameters()).item())
