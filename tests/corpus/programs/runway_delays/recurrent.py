import torch
from schedule_data import FEATURES
from torch import nn


class DelayNet(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.cell = nn.LSTMCell(FEATURES, hidden)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(hidden, 1)
        self.hidden = hidden

    def start(self, batch):
        return torch.zeros(batch, self.hidden), torch.zeros(batch, self.hidden)

    def forward(self, x, state):
        guesses = []
        for step in x.unbind(1):
            state = self.cell(step, state)
            guesses.append(self.head(self.drop(state[0])))
        return torch.cat(guesses, dim=1), state


def detach(state):
    return tuple(part.detach() for part in state)
