"""Capsules that agree on what they see by routing."""

import torch
from torch import nn


def squash(x):
    square = x.square().sum(-1, keepdim=True)
    return x * square / (1 + square) / (square + 1e-6).sqrt()


class Capsules(nn.Module):
    def __init__(self, inputs, outputs, size):
        super().__init__()
        self.votes = nn.Parameter(torch.randn(inputs, outputs, size, size) * 0.2)

    def forward(self, poses, rounds):
        votes = torch.einsum("bis,iost->biot", poses, self.votes)
        logits = torch.zeros(votes.shape[:3])
        for _ in range(rounds):
            shares = logits.softmax(2).unsqueeze(3)
            outputs = squash((shares * votes).sum(1))
            logits = logits + (votes * outputs.unsqueeze(1)).sum(3)
        return outputs
