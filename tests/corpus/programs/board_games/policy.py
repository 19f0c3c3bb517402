"""One policy for all games, and what its moves were worth."""

import torch
from boards import CELLS
from torch import nn

INPUTS = {"board": CELLS, "side": 1, "dice": 2}


class Policy(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.read = nn.ModuleDict({name: nn.Linear(n, width) for name, n in INPUTS.items()})
        self.move = nn.Linear(width, CELLS)

    def forward(self, seen):
        hidden = sum(self.read[name](value) for name, value in seen.items())
        return torch.log_softmax(self.move(torch.tanh(hidden)), -1)


def discounted(rewards, gamma=0.9):
    """What was won from each move on."""
    worth, found = torch.zeros(()), []
    for reward in reversed(rewards):
        worth = reward + gamma * worth
        found.append(worth)
    return torch.stack(found[::-1])
