"""Draws rare diseases as often as common ones."""

import torch
from torch.utils.data import Sampler


class BalancedBatches(Sampler):
    def __init__(self, labels, batch_size):
        self.labels = labels
        self.batch_size = batch_size
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.labels) // self.batch_size

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.epoch)
        weights = 1 / torch.bincount(self.labels)[self.labels]
        for _ in range(len(self)):
            yield torch.multinomial(weights, self.batch_size, generator=generator).tolist()
