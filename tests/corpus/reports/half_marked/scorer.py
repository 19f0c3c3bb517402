import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.hidden = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)

    def forward(self, features, mask):
        kept = features * mask
        return self.score(torch.relu(self.hidden(kept))).squeeze(-1)
