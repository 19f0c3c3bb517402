"""Grades essays by attention over their words."""

import torch
from torch import nn


class EssayGrader(nn.Module):
    def __init__(self, vocabulary=60, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=0)
        self.project = nn.Linear(width, width)
        self.attend = nn.Linear(width, 1)
        self.grade = nn.Linear(width, 1)

    def forward(self, tokens):
        padding = tokens == 0
        words = torch.tanh(self.project(self.embed(tokens)))
        scores = self.attend(words).squeeze(-1).masked_fill(padding, -1e4)
        weights = scores.softmax(-1).unsqueeze(-1)
        return self.grade((weights * words).sum(1)).squeeze(-1)
