"""Melodies as notes, and a recurrent model of them."""

import torch
from torch import nn


def melodies(count, notes, scale=12):
    steps = torch.randint(-2, 3, (count, notes))
    return steps.cumsum(1).remainder(scale)


class Composer(nn.Module):
    def __init__(self, scale=12, width=20):
        super().__init__()
        self.embed = nn.Embedding(scale, width)
        self.update = nn.Linear(2 * width, width)
        self.propose = nn.Linear(2 * width, width)
        self.out = nn.Linear(width, scale)

    def start(self, count):
        return torch.zeros(count, self.out.in_features)

    def forward(self, notes, state):
        logits = []
        for note in self.embed(notes).unbind(1):
            both = torch.cat([note, state], dim=-1)
            share = torch.sigmoid(self.update(both))
            state = share * state + (1 - share) * torch.tanh(self.propose(both))
            logits.append(self.out(state))
        return torch.stack(logits, dim=1), state
