"""A graph network of stops."""

import torch
from sampling import DropEdges
from torch import nn


def node_count(edges):
    return int(edges.max()) + 1


class StopLayer(nn.Module):
    def __init__(self, width, share):
        super().__init__()
        self.drop = DropEdges(share)
        self.send = nn.Linear(width, width)
        self.keep = nn.Linear(width, width)

    def forward(self, riders, edges, weights):
        edges, weights = self.drop(edges, weights)
        source, target = edges
        messages = self.send(riders)[source] * weights[:, None]
        received = riders.new_zeros(node_count(edges), riders.shape[1])
        received = received.index_add(0, target, messages)
        return torch.relu(self.keep(riders) + received)


class TramNetwork(nn.Module):
    def __init__(self, features=4, width=12, share=0.1):
        super().__init__()
        self.enter = nn.Linear(features, width)
        self.layer = StopLayer(width, share)
        self.leave = nn.Linear(width, 1)

    def forward(self, features, edges, weights):
        riders = torch.relu(self.enter(features))
        riders = self.layer(riders, edges, weights)
        return self.leave(riders).squeeze(-1)
