"""Heads for several tasks, compiled as they are made."""

import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(torch.relu(x)).squeeze(-1)


class Heads:
    def __init__(self, width, tasks, verbose=False):
        self.sizes, self.verbose = [], verbose
        self.made = [self.make(width) for _ in range(tasks)]

    def make(self, width):
        options = {"backend": lambda graph, inputs: self.count(graph)}
        return torch.compile(Head(width), **options)

    def count(self, graph):
        self.sizes.append(len(graph.graph.nodes))
        return graph.forward
