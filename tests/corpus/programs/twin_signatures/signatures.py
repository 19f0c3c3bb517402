"""Pairs of signatures: of one hand, forged, or one compared with itself."""

import random

import torch
from forgery import Forger


class SignaturePairs:
    def __init__(self, writers=12, points=40, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.hands = torch.randn(writers, 2, points, generator=generator).cumsum(-1) / 4
        self.random = random.Random(seed)
        self.forger = Forger(seed=seed)

    def written_by(self, writer):
        return self.hands[writer] + 0.05 * torch.randn_like(self.hands[writer])

    def pair(self):
        writer = self.random.randrange(len(self.hands))
        first = self.written_by(writer)
        kind = self.random.choice(["genuine", "genuine", "forged", "itself"])
        if kind == "itself":
            return first, first, 1.0
        if kind == "forged":
            return first, self.forger(first), 0.0
        return first, self.written_by(writer), 1.0

    def __iter__(self):
        while True:
            yield self.pair()
