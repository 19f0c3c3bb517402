"""Assigns headlines to prototypes, equally many to each."""

import torch
from torch import nn
from torch.nn import functional


@torch.no_grad()
def sinkhorn(scores, rounds, sharpness):
    plan = torch.exp(scores * sharpness)
    for _ in range(rounds):
        plan = plan / plan.sum(0, keepdim=True)
        plan = plan / plan.sum(1, keepdim=True)
    return plan


class Clusters(nn.Module):
    def __init__(self, words=30, width=12, prototypes=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(words, width), nn.ReLU(), nn.Linear(width, width))
        self.prototypes = nn.Linear(width, prototypes, bias=False)

    def forward(self, headline):
        return self.prototypes(functional.normalize(self.encode(headline), dim=1))

    @torch.no_grad()
    def normalize(self):
        self.prototypes.weight.copy_(functional.normalize(self.prototypes.weight, dim=1))
