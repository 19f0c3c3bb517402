"""Where a model does not know, by how much its heads differ."""

from contextlib import contextmanager

import torch
from torch import nn


class Waves(nn.Module):
    """The height of waves by place and season, told by several heads."""

    def __init__(self, width=16, heads=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Dropout(0.2))
        self.heads = nn.Linear(width, heads)

    def every(self, x):
        return self.heads(self.trunk(x))

    def forward(self, x):
        return self.every(x).mean(1)


@contextmanager
def judging(model):
    model.eval()
    yield model


def most_uncertain(model, candidates, count):
    with judging(model), torch.no_grad():
        spread = model.every(candidates).std(1)
    return spread.topk(count).indices
