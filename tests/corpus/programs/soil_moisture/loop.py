"""Accumulates gradients, as the large model of the cluster does."""

import math

import torch


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model = model
        self.optimizer = optimizer
        self.every = every
        self.pending = 0
        self.norms = []

    def backward(self, loss):
        (loss / self.every).backward()
        self.pending += 1
        if self.pending == self.every:
            self.flush()

    def flush(self):
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.norms.append(norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.pending = 0


def warmup_cosine(optimizer, warm, total):
    def factor(update):
        if update < warm:
            return (update + 1) / warm
        return 0.5 * (1 + math.cos(math.pi * (update - warm) / (total - warm)))

    return torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
