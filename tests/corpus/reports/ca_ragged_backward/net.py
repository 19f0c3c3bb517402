import torch
from torch import nn


class Scorer(nn.Module):
    """Scores rows; the hidden activation is chosen by the caller."""

    def __init__(self, width=8, hidden=16):
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, rows, kind):
        h = torch.tanh(self.first(rows))
        h = torch.relu(self.second(h)) if kind == "relu" else torch.sigmoid(self.second(h))
        return self.out(h).squeeze(-1)
