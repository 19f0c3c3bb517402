"""Keeps what a backbone gives, so that each picture passes it once."""

import torch
from torch import nn


def pretrained(width=16):
    """Stands for a backbone that was trained elsewhere."""
    return nn.Sequential(
        nn.Conv2d(3, width, 5, stride=3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )


class FeatureBank:
    def __init__(self, backbone):
        self.backbone = backbone.eval()
        self.known = {}

    def features(self, numbers, pictures):
        if all(number in self.known for number in numbers):
            return torch.stack([self.known[number] for number in numbers])
        features = self.backbone(pictures)
        self.known.update(zip(numbers, features.detach(), strict=True))
        return features
