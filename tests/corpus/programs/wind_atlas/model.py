"""Power of the next hour from the wind of the last ones."""

import torch
from torch import nn


def decay(hours, rate=0.3):
    """What happened long ago counts less."""
    ago = torch.arange(hours).flip(0)
    return -rate * ago


class Recent(nn.Module):
    """A mean over hours, of those that matter."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.bias = None

    def forward(self, hours):
        if self.bias is None:
            self.bias = decay(len(hours))
        weights = torch.softmax(self.score(hours).squeeze(-1) + self.bias, dim=0)
        return weights @ hours


class PowerModel(nn.Module):
    def __init__(self, featurizers, width=16):
        super().__init__()
        self.featurizers = featurizers
        self.enter = nn.Linear(sum(one.width for one in featurizers), width)
        self.recent = Recent(width)
        self.leave = nn.Linear(width, 1)

    def forward(self, profiles):
        features = [featurizer(profiles) for featurizer in self.featurizers]
        hours = torch.relu(self.enter(torch.cat(features, dim=-1)))
        return self.leave(self.recent(hours)).squeeze(-1)
