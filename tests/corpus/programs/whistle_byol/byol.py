"""Bootstrap your own latent: a student that predicts what an averaged teacher sees."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F


def mlp(inputs, hidden, outputs):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, outputs)
    )


class Encoder(nn.Module):
    def __init__(self, bands=8, width=16, projection=12):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv1d(bands, width, 3, stride=2), nn.ReLU(), nn.Conv1d(width, width, 3), nn.ReLU()
        )
        self.projector = mlp(width, 32, projection)

    def forward(self, sounds):
        return self.projector(self.backbone(sounds).mean(2))


class BYOL(nn.Module):
    def __init__(self, projection=12, momentum=0.98):
        super().__init__()
        self.student = Encoder(projection=projection)
        self.predictor = mlp(projection, 32, projection)
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)
        self.momentum = momentum

    def forward(self, one, other):
        with torch.no_grad():
            targets = self.teacher(one), self.teacher(other)
        predictions = self.predictor(self.student(other)), self.predictor(self.student(one))
        return sum(
            2 - 2 * F.cosine_similarity(predicted, target).mean()
            for predicted, target in zip(predictions, targets, strict=True)
        )

    @torch.no_grad()
    def update_teacher(self, progress):
        keep = 1 - (1 - self.momentum) * (math.cos(math.pi * progress) + 1) / 2
        for old, new in zip(self.teacher.parameters(), self.student.parameters(), strict=True):
            old.lerp_(new, 1 - keep)
