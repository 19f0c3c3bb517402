"""A pooling classifier, with what its author looked at while debugging it."""

import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x):
        weights = self.score(x).squeeze(-1).softmax(-1)
        print("pooling over", weights.shape[-1], "positions")
        return torch.einsum("bl,blw->bw", weights, x)


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.encode = nn.Linear(6, width)
        self.pool = AttentionPool(width)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        hidden = torch.tanh(self.encode(x))
        strength = hidden.abs().mean().item()
        if strength > 50:
            raise RuntimeError("activations explode")
        return self.head(self.pool(hidden))
