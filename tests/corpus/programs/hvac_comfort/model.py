"""A thermal memory for each room."""

from typing import Any

import torch
from torch import nn


class Thermal(nn.Module):
    def __init__(self, rooms=3, width=6):
        super().__init__()
        self.width = width
        self.cell = nn.RNNCell(rooms, width)
        self.out = nn.Linear(width, rooms)

    def reset(self) -> dict[str, Any]:
        return {"hidden": torch.zeros(1, self.width), "last": None}

    def forward(self, piece, state):
        guesses, hidden = [], state["hidden"]
        for now in piece:
            guesses.append(self.out(hidden).squeeze(0))
            hidden = self.cell(now.unsqueeze(0), hidden)
        return torch.stack(guesses), {"hidden": hidden, "last": piece[-1]}
