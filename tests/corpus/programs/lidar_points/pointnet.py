"""PointNet that pools points in groups."""

import torch.nn as nn
import torch.nn.functional as F
from scans import CLASSES


def group_max(features, size):
    """Maxima of groups of neighbouring points, (batch, groups, channels)."""
    batch, points, channels = features.shape
    if points % size != 0:
        features = F.pad(features, (0, 0, 0, size - points % size))
    return features.view(batch, -1, size, channels).amax(2)


class PointNet(nn.Module):
    def __init__(self, width=16, group=4):
        super().__init__()
        self.group = group
        self.local = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, width))
        self.merge = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU())
        self.classify = nn.Linear(2 * width, CLASSES)

    def forward(self, cloud):
        groups = group_max(self.local(cloud), self.group)
        return self.classify(self.merge(groups).amax(1))
