"""A factorization machine over hashed features."""

import torch
from torch import nn


class FactorizationMachine(nn.Module):
    def __init__(self, buckets, width=6, sparse=True):
        super().__init__()
        self.linear = nn.Embedding(buckets, 1, sparse=sparse)
        self.factors = nn.Embedding(buckets, width, sparse=sparse)
        self.bias = nn.Parameter(torch.zeros(()))
        nn.init.normal_(self.factors.weight, std=0.1)

    def forward(self, features):
        factors = self.factors(features)
        crossed = factors.sum(1).square() - factors.square().sum(1)
        return self.bias + self.linear(features).sum((1, 2)) + 0.5 * crossed.sum(1)
