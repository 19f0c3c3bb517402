"""Points at one stop after another."""

import torch
from torch import nn


class Pointer(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.encode = nn.Linear(2, width)
        self.cell = nn.GRUCell(width, width)
        self.start = nn.Parameter(torch.zeros(width))

    def forward(self, places, order):
        """Log-probabilities of each stop that was made; (vans, stops)."""
        encoded = torch.tanh(self.encode(places))
        vans, stops, width = encoded.shape
        state, at = encoded.mean(1), self.start.expand(vans, width)
        left = torch.zeros(vans, stops)
        chosen = []
        for turn in range(order.shape[1]):
            state = self.cell(at, state)
            scores = (encoded @ state.unsqueeze(-1)).squeeze(-1) + left
            stop = order[:, turn : turn + 1]
            chosen.append(scores.log_softmax(-1).gather(1, stop))
            left = left.scatter(1, stop, -1e4)
            at = encoded.gather(1, stop.unsqueeze(-1).expand(-1, -1, width)).squeeze(1)
        return torch.cat(chosen, 1)
