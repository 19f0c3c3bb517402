"""Stages of embryos in microscope images: a backbone and a head."""

import torch.nn as nn


class StageClassifier(nn.Module):
    def __init__(self, stages=5, width=8):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, 2, 1),
            nn.ReLU(),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(2 * width, stages)

    def freeze_encoder(self):
        for p in self.encoder.parameters():
            p.requires_grad_(False)

    def unfreeze_encoder(self):
        for p in self.encoder.parameters():
            p.requires_grad_(True)

    def forward(self, x):
        return self.head(self.pool(self.encoder(x)).flatten(1))
