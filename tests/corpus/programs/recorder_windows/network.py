"""A recurrent tracker of pitch."""

import torch
from torch import nn


class PitchTracker(nn.Module):
    def __init__(self, bands=12, hidden=20, pitches=6):
        super().__init__()
        self.hidden = hidden
        self.encode = nn.Linear(bands, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.classify = nn.Linear(hidden, pitches)

    def initial(self, batch):
        return torch.zeros(batch, self.hidden)

    def forward(self, frames, state):
        logits = []
        for frame in frames.unbind(1):
            state = self.cell(torch.relu(self.encode(frame)), state)
            logits.append(self.classify(state))
        return torch.stack(logits, dim=1), state
