"""Patches of quilts, as a grid of fabrics, and what comes next to them."""

import torch
from lora import LoraLinear
from torch import nn


class QuiltNet(nn.Module):
    def __init__(self, fabrics=20, width=24, patches=6):
        super().__init__()
        self.fabric = nn.Embedding(fabrics, width)
        self.mix = LoraLinear(patches * width, width)
        self.deep = LoraLinear(width, width)
        self.next = nn.Linear(width, fabrics)

    def forward(self, patches):
        seen = self.fabric(patches).flatten(1)
        return self.next(torch.tanh(self.deep(torch.tanh(self.mix(seen)))))


class Quilts(torch.utils.data.IterableDataset):
    def __init__(self, count, fabrics=20):
        self.count, self.fabrics = count, fabrics

    def __iter__(self):
        for _ in range(self.count):
            first = torch.randint(self.fabrics, (1,))
            patches = (first + torch.arange(7) * 3) % self.fabrics
            yield patches[:6], patches[6]
