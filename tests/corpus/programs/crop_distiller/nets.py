"""Names a crop by its reflectance through a season: a wide teacher, a narrow student."""

from typing import NamedTuple

import torch
from torch import nn


class Told(NamedTuple):
    logits: torch.Tensor
    features: torch.Tensor
    hint: torch.Tensor | None = None


class Teacher(nn.Module):
    def __init__(self, bands, crops, width=32):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(bands, width, 3, padding=1), nn.ReLU())
        self.crop = nn.Linear(width, crops)

    def forward(self, season):
        features = self.features(season).mean(2)
        return Told(self.crop(features), features)


class Student(Teacher):
    def __init__(self, bands, crops, width=8, hinted=32):
        super().__init__(bands, crops, width)
        self.regress = nn.Linear(width, hinted)

    def forward(self, season):
        logits, features, _ = super().forward(season)
        return Told(logits, features, self.regress(features))
