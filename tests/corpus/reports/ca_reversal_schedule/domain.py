import torch
from reversal import Reverse
from torch import nn


class DomainNet(nn.Module):
    """features that tell the label, but not where the sample comes from"""

    def __init__(self, dim, hidden):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.label = nn.Linear(hidden, 1)
        self.source = nn.Linear(hidden, 1)

    def forward(self, x, progress):
        h = self.features(x)
        back = Reverse.apply(h, progress)
        return self.label(h)[:, 0], self.source(back)[:, 0]
