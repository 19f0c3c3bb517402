"""Scores the stage of each epoch of a night."""

from torch import nn
from torch.nn import functional


class Stager(nn.Module):
    def __init__(self, dropout, width=16, stages=5):
        super().__init__()
        self.dropout = dropout
        self.before = nn.Linear(8, width)
        self.around = nn.Conv1d(width, width, 3, padding=1)
        self.after = nn.Linear(width, stages)

    def forward(self, signal, stages=None):
        hidden = self.before(signal).relu()
        hidden = hidden + self.around(hidden.transpose(1, 2)).transpose(1, 2)
        hidden = functional.dropout(hidden, self.dropout, self.training)
        scores = self.after(hidden)
        if stages is None:
            return scores, None
        return scores, functional.cross_entropy(scores.flatten(0, 1), stages.flatten())
