"""A gated recurrent cell, written out."""

import logging

import torch
from torch import nn

log = logging.getLogger("typing")


class Cell(nn.Module):
    def __init__(self, entering, width):
        super().__init__()
        self.width = width
        self.gates = nn.Linear(entering + width, 2 * width)
        self.candidate = nn.Linear(entering + width, width)

    def start(self, rows):
        return torch.zeros(rows, self.width)

    def forward(self, x, state):
        reset, update = self.gates(torch.cat([x, state], -1)).sigmoid().chunk(2, -1)
        fresh = torch.tanh(self.candidate(torch.cat([x, reset * state], -1)))
        return state + update * (fresh - state)


class Typist(nn.Module):
    def __init__(self, codes=30, width=12):
        super().__init__()
        self.embed = nn.Embedding(codes, 6)
        self.cell = Cell(8, width)
        self.out = nn.Linear(width, 1)

    def forward(self, codes, times, state=None):
        if state is None:
            state = self.cell.start(len(codes))
        slow = times.amax()
        if slow > 1.5:
            log.info("a pause of %.2f s", slow)
        x = torch.cat([self.embed(codes), torch.log1p(times)], -1)
        for moment in x.unbind(1):
            state = self.cell(moment, state)
        return self.out(state).squeeze(-1), state
