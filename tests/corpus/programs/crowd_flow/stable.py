"""Turns mixed precision off for a while when a loss goes up."""

import contextlib
import math

import torch


class Stable:
    def __init__(self, patience=3, dtype=torch.bfloat16):
        self.patience, self.dtype = patience, dtype
        self.exact = 0
        self.best = math.inf

    def precision(self):
        if self.exact > 0:
            self.exact -= 1
            return contextlib.nullcontext()
        return torch.autocast("cpu", dtype=self.dtype)

    def see(self, loss):
        if loss > self.best:
            self.exact = self.patience
        self.best = min(self.best, loss)
