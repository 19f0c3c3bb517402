"""A recurrent decoder that is fed the truth or its own guesses."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, symbols=12, width=10):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.cell = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, symbols)

    def forward(self, targets, state, teacher_forcing):
        symbol = torch.zeros_like(targets[:, 0])
        logits = []
        for position in range(targets.shape[1]):
            state = torch.tanh(self.cell(torch.cat([self.embed(symbol), state], -1)))
            logits.append(self.head(state))
            symbol = targets[:, position] if teacher_forcing else logits[-1].argmax(-1)
        return torch.stack(logits, 1)
