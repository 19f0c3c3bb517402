"""The model of the service."""
import torch
import torch.nn as nn


class Ranker(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width)

    def forward(self, query, items):
        q = self.left(query).unsqueeze(1)
        return (q * torch.tanh(self.right(items))).sum(-1).softmax(-1)
