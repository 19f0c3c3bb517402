"""A linear probe, whose loss minds that some orchids are rare."""

import torch
from torch import nn
from torch.nn import functional


class Probe(nn.Module):
    def __init__(self, rarity, width=16):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, len(rarity))
        self.rarity = rarity

    def forward(self, features, labels):
        logits = self.out(self.norm(features))
        losses = functional.cross_entropy(logits, labels, reduction="none")
        weights = [self.rarity[int(label)] for label in labels]
        return (losses * torch.tensor(weights)).mean()
