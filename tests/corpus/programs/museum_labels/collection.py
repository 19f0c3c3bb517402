"""Exhibits with their labels."""

import torch


class Collection:
    def __init__(self, size, seed):
        generator = torch.Generator().manual_seed(seed)
        topic = torch.randn(size, 6, generator=generator)
        self.pictures = torch.cat([topic, torch.randn(size, 4, generator=generator) / 3], 1)
        self.labels = torch.cat([torch.randn(size, 2, generator=generator) / 3, topic.sin()], 1)
        self.generator = generator

    def batches(self, size):
        for picked in torch.randperm(len(self.pictures), generator=self.generator).split(size):
            yield self.pictures[picked], self.labels[picked]
