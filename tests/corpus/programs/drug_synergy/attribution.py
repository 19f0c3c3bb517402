"""Which bits of a drug a prediction leans on, kept from time to time."""

import torch


class Attributions:
    def __init__(self, keys, every):
        self.keys, self.every = keys, every
        self.totals = dict.fromkeys(keys, 0.0)
        self.step = -1

    def prepare(self, batch):
        self.step += 1
        if self.step % self.every == 0:
            for key in self.keys:
                batch[key].requires_grad_(True)
        return batch

    @torch.no_grad()
    def collect(self, batch):
        for key in self.keys:
            if batch[key].grad is not None:
                self.totals[key] += (batch[key] * batch[key].grad).sum(0)
