"""Predicts where the cars of a lane will be."""

import torch
from memory import Memory
from torch import nn


class Tracker(nn.Module):
    def __init__(self, cars=6, width=10):
        super().__init__()
        self.memory = Memory()
        self.mix = nn.Linear(cars + width, width)
        self.out = nn.Linear(width, cars)
        self.width = width

    def forward(self, lane, positions):
        before = self.memory.recall(lane, positions.new_zeros(len(positions), self.width))
        state = self.mix(torch.cat([positions, before], 1)).tanh()
        return self.out(self.memory.store(lane, state))
