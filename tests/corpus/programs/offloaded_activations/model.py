"""A decoder whose activations are kept in host memory."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width=8, depth=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        with torch.autograd.graph.save_on_cpu():
            for layer in self.layers:
                x = layer(x).relu()
        return self.head(x)
