"""Payslips of departments; not every department pays in every week."""

import random
from collections import defaultdict

import torch

DEPARTMENTS = ("office", "plant", "fleet")


class Payroll:
    def __init__(self, weeks, slips=5, fields=6, seed=0):
        self.weeks, self.slips, self.fields = weeks, slips, fields
        self.rng = random.Random(seed)

    def paying(self, week):
        """All of them at the end of a month."""
        if week % 4 == 0:
            return DEPARTMENTS
        return sorted(self.rng.sample(DEPARTMENTS, k=2))

    def __iter__(self):
        for week in range(self.weeks):
            slips = defaultdict(list)
            for name in self.paying(week):
                slips[name] = torch.randn(self.slips, self.fields)
            yield slips
