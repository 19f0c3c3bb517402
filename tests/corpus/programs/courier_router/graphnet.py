"""Messages along roads."""

import torch
from torch import nn


class RoadNet(nn.Module):
    def __init__(self, features, width=12):
        super().__init__()
        self.rounds = 1
        self.embed = nn.Linear(features, width)
        self.along = nn.Linear(2 * width, width)
        self.own = nn.Linear(width, width)
        self.minutes = nn.Linear(2 * width, 1)

    def message(self, nodes, roads, step):
        start, end = roads
        sent = torch.tanh(self.along(torch.cat([nodes[start], nodes[end]], 1)))
        heard = torch.zeros_like(nodes).index_add(0, end, sent)
        return torch.tanh(self.own(nodes) + heard) / (1 + step)

    def forward(self, places, roads):
        nodes = self.embed(places)
        for step in range(self.rounds):
            nodes = self.message(nodes, roads, step)
        start, end = roads
        return self.minutes(torch.cat([nodes[start], nodes[end]], 1)).squeeze(1)
