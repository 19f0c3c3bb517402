"""Two projections of a clause, as asked and as found."""

import torch
from torch import nn
from torch.nn import functional


class DualEncoder(nn.Module):
    def __init__(self, terms=20, width=10):
        super().__init__()
        self.asked = nn.Linear(terms, width)
        self.found = nn.Linear(terms, width)
        self.log_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, clauses, counterparts):
        asked = functional.normalize(self.asked(clauses), dim=-1)
        found = functional.normalize(self.found(counterparts), dim=-1)
        return self.log_scale.exp() * asked @ found.T


def symmetric(scores):
    own = torch.arange(len(scores))
    return functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)
