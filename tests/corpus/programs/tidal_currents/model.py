"""A recurrent model of tidal currents that keeps its state between chunks."""

import torch
from torch import nn


class Current(nn.Module):
    def __init__(self, inputs=3, width=14):
        super().__init__()
        self.width = width
        self.cell = nn.GRUCell(inputs, width)
        self.velocity = nn.Linear(width, 2)

    def forward(self, chunk, state=None):
        """`chunk` is (buoys, hours, inputs); returns velocities and the state to go on from."""
        if state is None:
            state = chunk.new_zeros(len(chunk), self.width)
        velocities = []
        for hour in chunk.unbind(1):
            state = self.cell(hour, state)
            velocities.append(self.velocity(state))
        return torch.stack(velocities, 1), state
