"""A filter that carries what it believes from window to window."""

import torch
from torch import nn


class Belief(nn.Module):
    def __init__(self, hours=8, width=6):
        super().__init__()
        self.width = width
        self.observe = nn.Linear(hours, width)
        self.forget = nn.Parameter(torch.tensor(0.0))
        self.forecast = nn.Linear(width, hours)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, window):
        seen = torch.tanh(self.observe(window))
        if self.state is None:
            state = seen
        else:
            keep = torch.sigmoid(self.forget)
            state = keep * self.state.detach() + (1 - keep) * seen
        self.state = state
        return self.forecast(state)
