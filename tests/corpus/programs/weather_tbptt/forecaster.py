"""A recurrent forecaster that carries its state from window to window."""

import torch
import torch.nn as nn
from stations import FEATURES


class Forecaster(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Linear(FEATURES, hidden)
        self.recur = nn.Linear(hidden, hidden)
        self.decoder = nn.Linear(hidden, FEATURES)

    def init_hidden(self, batch):
        return torch.zeros(batch, self.hidden)

    def forward(self, window, h):
        outputs = []
        for x in window.unbind(1):
            h = torch.tanh(self.encoder(x) + self.recur(h))
            outputs.append(self.decoder(h))
        return torch.stack(outputs, dim=1), h
