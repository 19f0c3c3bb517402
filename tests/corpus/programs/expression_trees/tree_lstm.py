"""Folds a tree into a vector."""

import torch
from torch import nn
from trees import LEAVES, OPERATORS


class TreeCell(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.leaf = nn.Embedding(len(LEAVES), width)
        self.operator = nn.Embedding(len(OPERATORS), width)
        self.gates = nn.Linear(3 * width, 3 * width)

    def fold(self, tree):
        if isinstance(tree, str):
            return self.leaf(torch.tensor(LEAVES.index(tree)))
        name, *branches = tree
        left, right = (self.fold(branch) for branch in branches)
        operator = self.operator(torch.tensor(OPERATORS.index(name)))
        keep, new, out = self.gates(torch.cat([operator, left, right])).chunk(3)
        state = torch.sigmoid(keep) * (left + right) + torch.tanh(new)
        return torch.sigmoid(out) * state
