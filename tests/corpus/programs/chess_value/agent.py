"""A policy and a value over one trunk."""

from torch import nn


class PolicyValue(nn.Module):
    def __init__(self, squares, moves, width=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(squares, width), nn.ReLU())
        self.policy = nn.Linear(width, moves)
        self.value = nn.Sequential(nn.Linear(width, 1), nn.Tanh())

    def forward(self, planes):
        hidden = self.trunk(planes)
        return self.policy(hidden), self.value(hidden).squeeze(1)


def sharpness(logits, legal):
    """Mean squared logit of the moves that are legal."""
    chosen = logits[legal]
    return chosen.square().mean()
