"""Photographs and patterns in one space."""

import torch
from torch import nn
from torch.nn import functional


class Matcher(nn.Module):
    def __init__(self, features=24, width=16):
        super().__init__()
        self.photograph = nn.Linear(features, width)
        self.pattern = nn.Linear(features, width)
        self.sharpness = nn.Parameter(torch.tensor(2.0))

        def scores(photographs, patterns):
            left = functional.normalize(self.photograph(photographs))
            right = functional.normalize(self.pattern(patterns))
            return self.sharpness.exp() * left @ right.mT

        self.scores = torch.compile(scores, backend="eager", dynamic=True)

    def forward(self, photographs, patterns):
        return self.scores(photographs, patterns)

    def loss(self, photographs, patterns):
        likeness = self(photographs, patterns)
        targets = torch.arange(len(likeness))
        there = functional.cross_entropy(likeness, targets)
        return (there + functional.cross_entropy(likeness.mT, targets)) / 2
