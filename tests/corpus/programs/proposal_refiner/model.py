"""A second stage that moves proposals onto objects."""

from boxes import regression_loss
from torch import nn


class Refiner(nn.Module):
    def __init__(self, features=12, width=24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(features, width), nn.GELU())
        self.shift = nn.Linear(width, 4)
        self.objectness = nn.Linear(width, 1)

    def forward(self, pooled, proposals, objects, labels):
        hidden = self.trunk(pooled)
        refined = proposals + self.shift(hidden)
        scores = self.objectness(hidden).squeeze(-1)
        classification = nn.functional.binary_cross_entropy_with_logits(scores, labels)
        return classification + 0.5 * regression_loss(refined, objects, scores)
