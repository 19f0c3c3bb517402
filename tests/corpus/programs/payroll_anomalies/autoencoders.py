"""One autoencoder for each department; they share how they look at a slip."""

import torch
from torch import nn


class Departments(nn.Module):
    def __init__(self, names, fields=6, width=4):
        super().__init__()
        self.look = nn.Linear(fields, 2 * width)
        self.own = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.Linear(2 * width, width), nn.Tanh(), nn.Linear(width, fields)
                )
                for name in names
            }
        )

    def forward(self, name, slips):
        return self.own[name](torch.sigmoid(self.look(slips)))

    def odd(self, name, slips):
        return (self(name, slips) - slips).square().mean(-1)
