"""Classifies what lies on the seafloor."""

import torch
from pings import Seafloor
from torch import nn


class EchoNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.body = nn.Linear(width, 16)
        self.out = nn.Linear(16, 2)

    def absorb(self, echo, floor):
        if floor is Seafloor.MUD:
            return echo * 0.5
        return echo

    def forward(self, ping):
        echo = self.absorb(ping.echo, ping.floor)
        if ping.mask is not None:
            echo = echo * ping.mask
        return self.out(torch.relu(self.body(echo)))
