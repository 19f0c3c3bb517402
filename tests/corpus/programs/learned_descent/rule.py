import torch
from torch import nn


def preprocess(gradient, p=5.0):
    """Log of the size and the sign, as in 'Learning to learn by gradient descent …'."""
    size = (gradient.abs() + 1e-8).log() / p
    return torch.stack([size.clamp(min=-1.0), gradient.sign()], dim=-1)


class Rule(nn.Module):
    """A coordinatewise recurrent rule of update."""

    def __init__(self, hidden=12, scale=0.1):
        super().__init__()
        self.cell_in = nn.Linear(2, 2 * hidden)
        self.cell_back = nn.Linear(hidden, 2 * hidden, bias=False)
        self.out = nn.Linear(hidden, 1)
        self.hidden, self.scale = hidden, scale

    def start(self, theta):
        return theta.new_zeros(*theta.shape, self.hidden)

    def forward(self, gradient, state):
        gate, fresh = (self.cell_in(preprocess(gradient)) + self.cell_back(state)).chunk(2, -1)
        gate = gate.sigmoid()
        state = gate * state + (1 - gate) * fresh.tanh()
        return self.scale * self.out(state).squeeze(-1), state
