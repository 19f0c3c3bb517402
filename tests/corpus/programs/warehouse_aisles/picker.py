"""Predicts how long it takes to pick from a shelf, knowing its whole aisle."""

import torch
from torch import nn


class PickTime(nn.Module):
    def __init__(self, features, width=12):
        super().__init__()
        self.shelf = nn.Linear(features, width)
        self.aisle = nn.Linear(width, width, bias=False)
        self.minutes = nn.Sequential(nn.Tanh(), nn.Linear(width, 1), nn.Softplus())

    def forward(self, shelves):
        own = self.shelf(shelves)
        together = own + self.aisle(torch.tanh(own).mean(0, keepdim=True))
        return self.minutes(together).squeeze(-1)
