from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Reversal:
    """Turns gradients around on their way to the features, harder as training goes on."""

    def __init__(self, gamma: float = 10.0) -> None:
        self.gamma = gamma
        self.progress = 0.0

    def advance(self, done: float) -> None:
        self.progress = done

    def __call__(self, grad: Tensor) -> Tensor:
        weight = 2.0 / (1.0 + math.exp(-self.gamma * self.progress)) - 1.0
        return grad * -weight


class DomainNet(nn.Module):
    def __init__(self, classes: int = 3, width: int = 8) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1),
            nn.GroupNorm(2, width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.classify = nn.Linear(9 * width, classes)
        self.discern = nn.Sequential(nn.Linear(9 * width, 16), nn.ReLU(), nn.Linear(16, 1))
        self.reversal = Reversal()

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.features(images)
        logits = self.classify(features)
        turned = features.view_as(features)
        if torch.is_grad_enabled():
            turned.register_hook(self.reversal)
        return logits, self.discern(turned).squeeze(-1)
