from contextlib import nullcontext

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x, packer, share):
        for number, layer in enumerate(self.layers):
            with packer.context() if number < share else nullcontext():
                x = torch.tanh(layer(x))
        return x
