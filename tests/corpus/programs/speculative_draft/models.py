"""A small model that drafts and a larger one that verifies."""

import torch
from torch import nn
from torch.nn import functional


class ContextModel(nn.Module):
    """Predicts the token after each of `drafted` from a summary of what came before."""

    def __init__(self, vocabulary=18, width=12, layers=1):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, summary, drafted):
        x = self.embed(drafted)
        x = summary + x.cumsum(0) / (1 + torch.arange(x.shape[0]))[:, None]
        for layer in self.layers:
            x = x + functional.silu(layer(x))
        return self.head(x)
