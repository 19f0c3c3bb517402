"""Message passing with shared weights and a readout by sums."""

import random

import torch
from torch import nn


class MessagePassing(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU())
        self.update = nn.Linear(2 * width, width)

    def forward(self, h, edge_index):
        source, target = edge_index
        messages = self.message(torch.cat([h[source], h[target]], dim=1))
        received = torch.zeros_like(h).index_add(0, target, messages)
        return torch.tanh(self.update(torch.cat([h, received], dim=1)))


class MPNN(nn.Module):
    def __init__(self, features, width=16, rounds=3, jitter=0):
        super().__init__()
        self.embed = nn.Linear(features, width)
        self.conv = MessagePassing(width)
        self.readout = nn.Linear(width, 1)
        self.rounds, self.jitter = rounds, jitter

    def num_rounds(self):
        if not self.training:
            return self.rounds
        return self.rounds + random.randint(-self.jitter, self.jitter)

    def forward(self, data):
        h = torch.relu(self.embed(data.x))
        for _ in range(self.num_rounds()):
            h = self.conv(h, data.edge_index)
        pooled = h.new_zeros(data.num_graphs, h.size(1)).index_add(0, data.batch, h)
        return self.readout(pooled).squeeze(1)
