"""Orders passages by how well they answer."""

import torch
from torch import nn


class Reranker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.question = nn.Linear(width, width)
        self.passage = nn.Linear(width, width)
        self.score = nn.Bilinear(width, width, 1)

    def forward(self, question, passages):
        asked = self.question(question).relu()
        scores = [self.score(asked, self.passage(one).relu()) for one in passages]
        return torch.cat(scores, dim=1)
