"""Tags tokens with a recurrent cell that carries its state along."""

import torch
from torch import nn


class RecurrentTagger(nn.Module):
    def __init__(self, vocabulary, tags, width=12):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(vocabulary, width)
        self.cell = nn.LSTMCell(width, width)
        self.head = nn.Linear(width, tags)

    def initial_state(self, rows):
        h = c = torch.zeros(rows, self.width)
        return h, c

    def forward(self, tokens, state):
        outputs = []
        for token in self.embed(tokens).unbind(1):
            state = self.cell(token, state)
            outputs.append(self.head(state[0]))
        return torch.stack(outputs, 1), tuple(part.detach() for part in state)
