"""Reversal of gradients, and the tables of embeddings."""

import torch
from torch import nn


def reverse_gradient(x: torch.Tensor, strength: float) -> torch.Tensor:
    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return -strength * grad

    return Reversal.apply(x)


class Tables(nn.Module):
    def __init__(self, listeners: int, podcasts: int, width: int):
        super().__init__()
        self.listener = nn.Embedding(listeners, width, sparse=True)
        self.podcast = nn.Embedding(podcasts, width, sparse=True)
        for table in (self.listener, self.podcast):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, listener, podcast):
        return torch.cat([self.listener(listener), self.podcast(podcast)], dim=-1)
